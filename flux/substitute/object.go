package substitute

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fluxcd/pkg/envsubst"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// object is one object while variables are substituted in it.
type object struct {
	*substitution
	text []byte
	line int // of the render, in which it begins

	before *manifest.Document // of the text; nil until it is read
	unread error              // why it cannot be

	known    string             // its text, with what has no value escaped
	changed  []byte             // what it becomes
	parsed   *manifest.Document // of that, where it is known
	findings []diag.Finding
	hidden   []render.Hidden
}

// isDisabled reports whether a label or an annotation excludes the object.
func (o *object) isDisabled() bool {
	if !bytes.Contains(o.text, []byte(disabledKey)) {
		return false
	}
	doc, err := o.document()
	return err == nil && IsDisabled(doc.Root())
}

// IsDisabled reports whether a label or an annotation excludes an object from substitution.
func IsDisabled(object manifest.Node) bool {
	meta := object.Get("metadata")
	return meta.At("labels", disabledKey).Text() == "disabled" || meta.At("annotations", disabledKey).Text() == "disabled"
}

// substitute sets what the object becomes.
func (o *object) substitute() error {
	o.changed = o.text
	if o.invalid != "" {
		return o.failByName()
	}
	o.known = string(o.text)
	text, secret, err := o.expand(o.known)
	if o.options.KeepMissing && notSet().MatchString(fmt.Sprint(err)) {
		text, secret, err = o.expandKnown(err)
	}
	if err != nil {
		return o.fail(fmt.Errorf("envsubst error: variable substitution failed: %w", err), o.wrong(err), o.hintOf(err))
	}
	if err := o.read(text, secret); err != nil {
		return err
	}
	o.hide(secret, true)
	o.hide(secret, false)
	return nil
}

// read sets the object to a text, which is read and written as the controller does.
func (o *object) read(text string, secret map[string]bool) error {
	before, err := o.document()
	after, errAfter := manifest.Parse([]byte(text))
	if err == nil && errAfter == nil && inPlace(before, after) {
		o.changed, o.parsed = []byte(text), after
		return nil
	}
	tree, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return o.fail(fmt.Errorf("envsubst error: YAMLToJSON: %w", o.withoutValues(err, secret)), o.lineIn(err),
			"Put the variable in quotes, or give it a value that YAML reads there.")
	}
	if o.changed, err = encode(tree); err != nil {
		return o.fail(fmt.Errorf("UnmarshalJSON: %w", o.withoutValues(err, secret)), "",
			"The object has to stay a mapping: look at what its variables hold.")
	}
	return nil
}

// document returns the object before it is substituted.
func (o *object) document() (*manifest.Document, error) {
	if o.before == nil {
		o.before, o.unread = manifest.Parse(o.text)
	}
	return o.before, o.unread
}

// expand evaluates a text with the controller's library. It returns the variables that the text asks for and that are
// hidden, too, and whether a Secret has their values.
func (o *object) expand(text string) (string, map[string]bool, error) {
	var secret map[string]bool
	out, err := envsubst.Eval(text, func(name string) (string, bool) {
		v, ok := o.vars[name]
		if v.isHidden {
			if secret == nil {
				secret = map[string]bool{}
			}
			secret[name] = v.Secrecy != redact.Public
		}
		return v.Value, ok || !o.options.Strict && !o.options.KeepMissing
	})
	return out, secret, err
}

// expandKnown expands the object with what needs variables that are missing left as it is; err is about the first of
// them. What has a default takes it. Where one stands in what another variable is replaced by, the whole object is
// left.
func (o *object) expandKnown(err error) (string, map[string]bool, error) {
	missing := map[string]bool{}
	for {
		found := notSet().FindStringSubmatch(err.Error())
		if found == nil {
			return "", nil, err
		}
		if missing[found[1]] {
			o.findings = append(o.findings, o.missing(missing))
			return string(o.text), nil, nil
		}
		missing[found[1]] = true
		o.known = keepVariable(o.known, found[1])
		out, secret, again := o.expand(o.known)
		if again == nil {
			o.findings = append(o.findings, o.missing(missing))
			return out, secret, nil
		}
		err = again
	}
}

// keepVariable escapes a variable wherever nothing says what it is by default.
func keepVariable(text, name string) string {
	uses := regexp.MustCompile(`(\$*)\$\{#?` + regexp.QuoteMeta(name) + `(:?[-=?+]|[^_\pL\p{Nd}])`)
	return uses.ReplaceAllStringFunc(text, func(found string) string {
		parts := uses.FindStringSubmatch(found)
		isEscaped, hasDefault := len(parts[1])%2 == 1, strings.ContainsAny(parts[2], "-=?+")
		if isEscaped || hasDefault {
			return found
		}
		return "$" + found
	})
}

// missing is the finding about variables that are left in the object.
func (o *object) missing(variables map[string]bool) diag.Finding {
	names := slices.Sorted(maps.Keys(variables))
	all := strings.Join(names, ", ")
	return diag.New(diag.MissingVariable, o.name(), "no value is known of "+all+": the text is left as it is").
		At(diag.Position{Line: o.lineOf("${" + names[0])}).WithKey(all)
}

// encode returns the JSON of an object as kustomize prints it after it has read it: its own types of numbers included.
func encode(tree []byte) ([]byte, error) {
	node := kyaml.NewMapRNode(nil)
	if err := node.UnmarshalJSON(tree); err != nil {
		return nil, err
	}
	again, err := node.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(again)
}

// name is the object's, as findings name it.
func (o *object) name() string {
	if doc, err := o.document(); err == nil {
		for one := range doc.Objects() {
			return one.String()
		}
	}
	return ""
}

// lineOf returns the line of the render that first holds a text, else that in which the object begins.
func (o *object) lineOf(text string) int {
	before, _, found := bytes.Cut(o.text, []byte(text))
	if !found || text == "" {
		return o.line
	}
	return o.line + bytes.Count(before, []byte("\n"))
}

// withoutValues returns the error of a reader without what it quotes, where the object holds secret values.
func (o *object) withoutValues(err error, secret map[string]bool) error {
	if !slices.Contains(slices.Collect(maps.Values(secret)), true) || !strings.ContainsAny(err.Error(), "'`\"") {
		return err
	}
	if line := lineOfError().FindString(err.Error()); line != "" {
		return fmt.Errorf("yaml: %s: it holds values of a Secret, which are not shown", line)
	}
	return errors.New("it holds values of a Secret, which are not shown")
}

var lineOfError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+)`) })

// lineIn returns the line of the object that an error of a reader names; substitution keeps the lines.
func (o *object) lineIn(err error) string {
	if found := lineOfError().FindStringSubmatch(err.Error()); found != nil {
		n, _ := strconv.Atoi(found[1])
		if lines := strings.SplitAfter(string(o.text), "\n"); 0 < n && n <= len(lines) {
			return lines[n-1]
		}
	}
	return ""
}
