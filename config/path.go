package config

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Path leads to places in an object: fields, each item of a list, each value of a map. The zero value is the place
// itself.
type Path struct {
	text  string
	steps []Step
}

// Step is one step of a path: one of the Each kinds, or else a field.
type Step struct {
	Each  Each
	Field string // with Each == Field
}

// Each says what a step goes into.
type Each int

// The kinds of step.
const (
	Field  Each = iota // the named field of a map
	Items              // every item of a list
	Values             // every value of a map
)

// Steps returns the steps, from the outside in. The caller does not change them.
func (p Path) Steps() []Step { return p.steps }

// IsZero reports whether the path has no steps.
func (p Path) IsZero() bool { return len(p.steps) == 0 }

// String returns the path as written.
func (p Path) String() string { return p.text }

// Field returns the path of a field below p.
func (p Path) Field(name string) Path {
	steps := append(p.steps[:len(p.steps):len(p.steps)], Step{Field: name})
	switch {
	case !isPlainField(name):
		return Path{p.text + "['" + name + "']", steps}
	case p.text == "":
		return Path{name, steps}
	}
	return Path{p.text + "." + name, steps}
}

// or returns p, or q where p has no steps.
func (p Path) or(q Path) Path {
	if p.IsZero() {
		return q
	}
	return p
}

// MarshalText returns the path as written.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText parses a path; see ParsePath.
func (p *Path) UnmarshalText(b []byte) error {
	parsed, err := ParsePath(string(b))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// ParsePath parses fields with dots between them, "[*]" behind a field for each item of its list, and "*" for each
// value of a map: "spec.pools[*].template", "spec.templates.*.secretName". A field with other characters stands in
// brackets and quotes: metadata.annotations["example.com/name"]. "" and "." are the place itself.
func ParsePath(text string) (Path, error) {
	if text == "" || text == "." {
		return Path{}, nil
	}
	if strings.IndexByte("${./", text[0]) >= 0 {
		return Path{}, foreignPath(text)
	}
	p := Path{text: text}
	for rest := "." + text; rest != ""; {
		var step Step
		var err error
		if step, rest, err = nextStep(rest); err != nil {
			return Path{}, fmt.Errorf("path %q: %w", text, err)
		}
		p.steps = append(p.steps, step)
	}
	return p, nil
}

// nextStep returns the first step of a path that has some left, and what is behind it.
func nextStep(path string) (step Step, rest string, err error) {
	switch {
	case strings.HasPrefix(path, "[*]"):
		return Step{Each: Items}, path[len("[*]"):], nil
	case strings.HasPrefix(path, `["`), strings.HasPrefix(path, "['"):
		name, rest, closed := strings.Cut(path[2:], path[1:2]+"]")
		if !closed || name == "" || strings.ContainsAny(name, notInQuotes) {
			return Step{}, "", fmt.Errorf(`%q is not a field in brackets and quotes, as ["example.com/name"]`, path)
		}
		return Step{Field: name}, rest, nil
	case path[0] != '.':
		return Step{}, "", fmt.Errorf("%q begins with neither a dot nor [*]", path)
	}
	word := path[1:]
	end := strings.IndexAny(word, ".[")
	if end < 0 {
		end = len(word)
	}
	name := word[:end]
	switch {
	case name == "*":
		return Step{Each: Values}, word[end:], nil
	case name == "" || strings.ContainsAny(name, notInField):
		word, _, _ = strings.Cut(word, ".")
		return Step{}, "", fmt.Errorf("%q is not a field, a field with [*], or *", word)
	}
	return Step{Field: name}, word[end:], nil
}

// notInField are characters that a field has in brackets and quotes only, and notInQuotes those that it has nowhere.
const (
	notInField  = "*]{}/\\\"' \t\r\n"
	notInQuotes = "\"'{}\t\r\n"
)

// isPlainField reports whether a field is written as it is.
func isPlainField(name string) bool {
	return name != "" && !strings.ContainsAny(name, notInField+".[$")
}

// CanHold reports whether a path can lead to a field.
func CanHold(name string) bool { return name != "" && !strings.ContainsAny(name, notInQuotes) }

// isQuoted reports whether the path has a field that stands in quotes.
func (p Path) isQuoted() bool {
	return strings.Contains(p.text, `["`) || strings.Contains(p.text, "['")
}

// IsMark reports whether the path leads to an annotation or a label, which most objects of a kind lack.
func (p Path) IsMark() bool {
	return strings.HasPrefix(p.text, "metadata.annotations") || strings.HasPrefix(p.text, "metadata.labels")
}

// foreignPath refuses a path in the spelling of kubectl, jq or JSON Pointer: as one of ours it would be a name of a
// field that is nowhere.
func foreignPath(text string) error {
	ours := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	ours = strings.TrimLeft(strings.TrimPrefix(ours, "$"), "./")
	if text[0] == '/' {
		ours = strings.ReplaceAll(ours, "/", ".")
	}
	err := fmt.Errorf("path %q begins with %q", text, text[:1])
	if p, bad := ParsePath(ours); bad != nil || p.IsZero() {
		return diag.Usage(err, "A path begins with the name of a field of the object: spec.entries[*].name.")
	}
	return diag.Usage(err, fmt.Sprintf("A path begins with the name of a field: write %s.", ours))
}

// checkGroup refuses a group with its version, which no object would fit.
func checkGroup(group string) error {
	name, version, both := strings.Cut(group, "/")
	if !both {
		return nil
	}
	return diag.Usage(fmt.Errorf("group %q: the rule is for all versions of a group", group),
		fmt.Sprintf("Write group: %q, without %q.", name, "/"+version))
}
