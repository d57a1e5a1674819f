package substitute

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fluxcd/pkg/envsubst"
	"github.com/fluxcd/pkg/envsubst/parse"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// fail returns an error about the object in the controller's words, at the line that holds a text.
func (o *object) fail(err error, at, hint string) *diag.Error {
	id := o.identity()
	if field := o.fieldWith(at); field != "" && hint != "" {
		hint += " It stands in " + field + "."
	}
	return &diag.Error{
		Exit: diag.ExitInput, Object: o.name(), Pos: diag.Position{Line: o.lineOf(at)}, Hint: hint,
		Err: fmt.Errorf("post build failed for '%s/%s': %w", id.Gvk, id.Name, err),
	}
}

// fieldWith returns the path of the field that a text is first in; "" where it is in none.
func (o *object) fieldWith(text string) string {
	doc, err := o.document()
	offset := strings.Index(string(o.text), text)
	if err != nil || text == "" || offset < 0 {
		return ""
	}
	return fieldAt(doc.Root(), offset, "")
}

// fieldAt returns the path of the scalar below a node that covers an offset; "" where none does.
func fieldAt(n manifest.Node, offset int, path string) string {
	switch {
	case n.IsMap():
		for key, value := range n.Entries() {
			if found := fieldAt(value, offset, strings.TrimPrefix(path+"."+key.Text(), ".")); found != "" {
				return found
			}
		}
	case n.IsSeq():
		i := 0
		for value := range n.Items() {
			if found := fieldAt(value, offset, fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
			i++
		}
	case n.Offset() <= offset && offset < n.End():
		return path
	}
	return ""
}

// NameError is the cause of an error about a name that no variable may have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("'%s' var name is invalid, must match '%s'", e.Name, nameRule)
}

// failByName returns the error about the name that no variable may have, at the object that it is met in.
func (o *object) failByName() error {
	return o.fail(fmt.Errorf("envsubst error: %w", &NameError{o.invalid}), "variable",
		"Rename the variable in spec.postBuild.substitute, or the key of the ConfigMap or Secret.")
}

// notSet finds the variable in the error of strict mode, whose type the library does not export.
var notSet = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^variable not set \(strict mode\): "(.*)"$`)
})

// wrong returns the beginning of what an error of the library is about.
func (o *object) wrong(err error) string {
	if found := notSet().FindStringSubmatch(err.Error()); found != nil {
		return "${" + found[1]
	}
	rest := string(o.text)
	for {
		start := strings.Index(rest, "${")
		if start < 0 {
			return ""
		}
		rest = rest[start:]
		line, _, _ := strings.Cut(rest, "\n")
		if end := strings.Index(line, "}"); end > 0 && strings.Count(line[:end], "${") == 1 {
			line = line[:end+1]
		}
		if _, err := envsubst.Parse(line); err != nil {
			return line
		}
		rest = rest[len("${"):]
	}
}

// hintOf returns the next step after an error of the library.
func (o *object) hintOf(err error) string {
	switch found := notSet().FindStringSubmatch(err.Error()); {
	case found != nil && o.options.Refused[found[1]] != "":
		return o.options.Refused[found[1]] + " has it, with a value that is no text, which the API server refuses: " +
			"put it in quotes there."
	case found != nil:
		return "Give it a value in spec.postBuild (a number is one in quotes), or a default: ${" + found[1] +
			":=value}. Where the cluster's controller takes it as empty, as before Flux 2.9, so does --missing-vars empty."
	case errors.Is(err, parse.ErrParseVariableName), errors.Is(err, parse.ErrMissingClosingBrace),
		errors.Is(err, parse.ErrBadSubstitution), errors.Is(err, parse.ErrParseFuncSubstitution),
		errors.Is(err, parse.ErrParseDefaultFunction):
		return "Write $${ for what is no variable, or exclude the object with the annotation " + disabledKey + ": disabled."
	}
	return ""
}
