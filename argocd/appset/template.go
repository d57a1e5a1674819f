package appset

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// params are a generator's parameters for one application.
type params = map[string]any

// language is the template language of an ApplicationSet: Go's templates, or only {{name}}.
type language struct {
	goTemplate bool
	options    []string // of Go's templates, such as missingkey=error
	base       *template.Template
	parsed     map[string]*template.Template
}

func newLanguage(goTemplate bool, options []string) (language, error) {
	l := language{goTemplate: goTemplate, options: options}
	if !goTemplate {
		return l, nil
	}
	l.base, l.parsed = template.New("base").Funcs(functions()), map[string]*template.Template{}
	for _, o := range options {
		if err := checkOption(o); err != nil {
			return l, err
		}
		l.base.Option(o)
	}
	return l, nil
}

// checkOption refuses options on which package template would panic.
func checkOption(option string) error {
	switch option {
	case "missingkey=default", "missingkey=invalid", "missingkey=zero", "missingkey=error":
		return nil
	}
	return fmt.Errorf("goTemplateOptions: %q is not known", option)
}

// strict returns the language in which every name that a template uses must exist.
func (l language) strict() language {
	if !l.goTemplate {
		return l
	}
	l.base, l.parsed = template.Must(l.base.Clone()).Option("missingkey=error"), map[string]*template.Template{}
	return l
}

// expand fills in a text.
func (l language) expand(text string, p params) (string, error) {
	if !l.goTemplate {
		return expandSimple(text, p)
	}
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t := l.parsed[text]
	if t == nil {
		var err error
		if t, err = template.Must(l.base.Clone()).Parse(text); err != nil {
			err = fmt.Errorf("parse template: %w", err)
			if isNewFunction(err) {
				return "", unknownError{err, true}
			}
			return "", err
		}
		l.parsed[text] = t
	}
	var out strings.Builder
	if err := t.Execute(&out, p); err != nil {
		return "", fmt.Errorf("execute template: %w", withoutValues(err))
	}
	return out.String(), nil
}

// hasTags matches texts that may contain something to expand.
var hasTags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(".*{{.*}}.*") })

// withoutValues removes what a function's error repeats of its arguments.
func withoutValues(err error) error {
	what, rest, called := strings.Cut(err.Error(), ": error calling ")
	if !called {
		return err
	}
	name, _, _ := strings.Cut(rest, ":")
	return errors.New(what + ": " + name + " cannot take what it is given")
}

// isNewFunction reports whether a template calls a function that we do not have; a newer Argo CD may have it.
func isNewFunction(err error) bool {
	return strings.Contains(err.Error(), `: function "`) && strings.HasSuffix(err.Error(), `" not defined`)
}

// isMissingKey reports whether a template failed because a parameter is missing.
func isMissingKey(err error) bool {
	return strings.Contains(err.Error(), "map has no entry for key") ||
		strings.Contains(err.Error(), "can't evaluate field")
}

// expandSimple replaces {{name}}. Unknown names, and values that are not strings, stay as they are.
func expandSimple(text string, p params) (string, error) {
	if !hasTags().MatchString(text) {
		return text, nil
	}
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{{")
		out.WriteString(before)
		if !open {
			return out.String(), nil
		}
		tag, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return "", errors.New("a {{ is not closed")
		}
		if value, ok := p[strings.TrimSpace(tag)].(string); ok && strings.TrimSpace(tag) != "" {
			out.WriteString(value)
		} else {
			out.WriteString("{{" + tag + "}}")
		}
		text = after
	}
}

// expandAll expands every string in a tree of values, and the keys of its mappings. It returns a new tree.
func (l language) expandAll(value any, p params) (any, error) {
	switch v := value.(type) {
	case string:
		return l.expand(v, p)
	case map[string]any:
		return l.expandMap(v, p)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = l.expandAll(item, p); err != nil {
				return nil, stepError{i, err}
			}
		}
		return out, nil
	}
	return value, nil
}

func (l language) expandMap(in map[string]any, p params) (map[string]any, error) {
	out := make(map[string]any, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) { // of several errors the first is always the same
		value, err := l.expandAll(in[key], p)
		if err != nil {
			return nil, stepError{key, err}
		}
		name, err := l.expand(key, p)
		if err != nil {
			return nil, stepError{key, err}
		}
		out[name] = value
	}
	return out, nil
}

// stepError is an error below a key of a mapping, or a place in a list.
type stepError struct {
	step any // string or int
	err  error
}

func (e stepError) Error() string {
	if key, ok := e.step.(string); ok {
		return key + ": " + e.err.Error()
	}
	return e.err.Error()
}

func (e stepError) Unwrap() error { return e.err }

// pathOf returns the keys and places in lists above what an error is about.
func pathOf(err error) (path []any) {
	for one := (stepError{}); errors.As(err, &one); err = one.err {
		path = append(path, one.step)
	}
	return path
}

// functions are those of Argo CD's templates: sprig's without those that read the environment or the network, and a
// few of its own.
func functions() template.FuncMap {
	all := sprig.GenericFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	all["normalize"] = normalize
	all["slugify"] = slugify
	all["toYaml"] = func(v any) (string, error) {
		b, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(b), "\n"), err
	}
	all["fromYaml"] = func(text string) (map[string]any, error) {
		out := map[string]any{}
		return out, yaml.Unmarshal([]byte(text), &out)
	}
	all["fromYamlArray"] = func(text string) ([]any, error) {
		out := []any{}
		return out, yaml.Unmarshal([]byte(text), &out)
	}
	return all
}

// maxName is the length of the longest DNS name.
const maxName = 253

// normalize converts a text to a name that Kubernetes accepts.
func normalize(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '-' || c == '.' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(name))
	if len(name) > maxName {
		name = name[:maxName]
	}
	return strings.Trim(name, "-.")
}

var dashes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("-+") })

// slugify returns a name of at most so many letters (50), cut between words (true): slugify [LENGTH [WORDS]] NAME.
func slugify(args ...any) (string, error) {
	length, words, name := 50, true, ""
	ok := true
	for i, arg := range args {
		if !ok {
			break
		}
		switch {
		case i == len(args)-1:
			name, ok = arg.(string)
		case i == 0:
			length, ok = arg.(int)
		case i == 1:
			words, ok = arg.(bool)
		}
	}
	if !ok || length < 0 {
		return "", errors.New("slugify takes a length, whether to keep words whole, and a name")
	}
	slug := normalize(name)
	if !words && len(slug) >= length {
		slug = slug[:length]
	}
	slug = strings.Trim(dashes().ReplaceAllString(strings.ReplaceAll(slug, ".", "-"), "-"), "-")
	if length == 0 || !words || len(slug) <= length {
		return slug, nil
	}
	if cut := strings.LastIndexByte(slug[:length+1], '-'); cut >= 0 {
		return slug[:cut], nil
	}
	return slug[:length], nil
}
