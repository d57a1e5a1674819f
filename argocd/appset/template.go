package appset

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// params are what a generator gives for one application.
type params = map[string]any

// language is what an ApplicationSet writes its templates in: Go's templates, or mere {{name}}.
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
		if err := check(o); err != nil {
			return l, err
		}
		l.base.Option(o)
	}
	return l, nil
}

// check refuses options that package template would panic on.
func check(option string) error {
	switch option {
	case "missingkey=default", "missingkey=invalid", "missingkey=zero", "missingkey=error":
		return nil
	}
	return fmt.Errorf("goTemplateOptions: %q is not known", option)
}

// strict is the language in which what a template names must be there.
func (l language) strict() language {
	if !l.goTemplate {
		return l
	}
	l.base, l.parsed = template.Must(l.base.Clone()).Option("missingkey=error"), map[string]*template.Template{}
	return l
}

// expand returns a text with values in the place of what it names.
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
			return "", fmt.Errorf("parse template: %w", err)
		}
		l.parsed[text] = t
	}
	var out strings.Builder
	if err := t.Execute(&out, p); err != nil {
		return "", fmt.Errorf("execute template: %w", withoutValues(err))
	}
	return out.String(), nil
}

// simple tells texts that may hold something to expand.
var simple = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(".*{{.*}}.*") })

// withoutValues drops what a function says of its arguments.
func withoutValues(err error) error {
	what, rest, called := strings.Cut(err.Error(), ": error calling ")
	if !called {
		return err
	}
	name, _, _ := strings.Cut(rest, ":")
	return errors.New(what + ": " + name + " cannot take what it is given")
}

// missing reports whether a template failed for want of a parameter.
func missing(err error) bool {
	return strings.Contains(err.Error(), "map has no entry for key") || strings.Contains(err.Error(), "can't evaluate field")
}

// expandSimple replaces {{name}}. What is not known, or not a string, stays as it is.
func expandSimple(text string, p params) (string, error) {
	if !simple().MatchString(text) {
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

// expandAll expands every string in a tree of values, and the keys of its mappings. It changes nothing in place.
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
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}

func (l language) expandMap(in map[string]any, p params) (map[string]any, error) {
	out := make(map[string]any, len(in))
	for key, item := range in {
		value, err := l.expandAll(item, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		name, err := l.expand(key, p)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// functions are those of Argo CD's templates: sprig's without what looks at the machine, and a few of its own.
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

// longestName is that of a DNS name.
const longestName = 253

// normalize makes a name that Kubernetes takes.
func normalize(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '-' || c == '.' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(name))
	if len(name) > longestName {
		name = name[:longestName]
	}
	return strings.Trim(name, "-.")
}

var dashes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("-+") })

// slugify makes a name of at most so many letters (50), cut between words (true): slugify [LENGTH [WORDS]] NAME.
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
