// Package substitute replaces variables in rendered objects as kustomize-controller does after its build (postBuild),
// and sets the labels and annotations that Flux's controllers add to what they apply.
package substitute

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// Var is the value of a variable.
type Var struct {
	Value   string
	Secrecy redact.Secrecy // of a value that is never shown, because one of a Secret is in it
	From    string         // the object or file that it comes from, as messages name it

	isHidden bool // by its secrecy or its name
}

// String returns the value, or a mask.
func (v Var) String() string {
	if v.Secrecy != redact.Public || v.isHidden {
		return redact.Mask
	}
	return v.Value
}

// Format writes what String returns, for every verb and flag.
func (v Var) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// Options are what a Kustomization and the controller's gates say of a substitution.
type Options struct {
	Strict      bool // a variable without a value and a default is an error; else it is empty
	Always      bool // substitute where no variable is known, too
	KeepMissing bool // leave what has no value as it is, and report it; it comes before Strict
	// Refused is the object that has a variable with a value that the API server refuses, by the variable.
	Refused map[string]string
}

// disabledKey is the label or annotation that excludes an object, with the value disabled.
const disabledKey = "kustomize.toolkit.fluxcd.io/substitute"

// nameRule is what names of variables match, as the controller writes it.
const nameRule = "^[_[:alpha:]][_[:alpha:][:digit:]]*$"

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(nameRule) })

// Variables returns what substitutes variables in each object of a kustomization. Only objects that hold "${" or "$$"
// are written again. What came from a Secret is hidden in whatever is shown of the output.
func Variables(vars map[string]Var, o Options) render.Transform {
	s := &substitution{vars: make(map[string]Var, len(vars)), options: o}
	for name, v := range vars {
		v.Value = strings.ReplaceAll(v.Value, "\n", "")
		v.isHidden = v.Value != "" && (v.Secrecy != redact.Public || redact.IsSecret(name, v.Value))
		s.vars[name] = v
		if !validName().MatchString(name) && (s.invalid == "" || name < s.invalid) {
			s.invalid = name
		}
	}
	return func(ctx context.Context, out *render.Output) (*render.Output, error) {
		if len(s.vars) == 0 && !o.Always {
			return out, nil
		}
		return s.apply(ctx, out)
	}
}

// substitution is what is substituted in an application.
type substitution struct {
	vars    map[string]Var
	options Options
	invalid string // a name that no variable may have; "" where there is none
}

// result is what a text becomes.
type result struct {
	edits    []splice.Edit
	hidden   []render.Hidden // with offsets in the text before
	findings []diag.Finding
}

func (s *substitution) apply(ctx context.Context, out *render.Output) (*render.Output, error) {
	first, err := s.text(ctx, out.Text)
	if err != nil {
		return nil, err
	}
	var second result
	if out.SecondRender != nil {
		if second, err = s.text(ctx, out.SecondRender); err != nil {
			return nil, err
		}
	}
	if len(first.findings) > 0 {
		with := *out
		with.Findings = slices.Concat(out.Findings, first.findings)
		out = &with
	}
	decrypted, err := s.decrypted(ctx, out)
	if err != nil {
		return nil, err
	}
	changed := *out.WithHidden(first.hidden).Edit(first.edits, second.edits)
	changed.Decrypted = decrypted
	return &changed, nil
}

// text substitutes in each document of a text as kustomize prints it.
func (s *substitution) text(ctx context.Context, text []byte) (r result, err error) {
	ids := identities{text: text}
	for d, lines := range documents(text) {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		body := text[d.start:d.end]
		if s.invalid == "" && !bytes.Contains(body, []byte("${")) && !bytes.Contains(body, []byte("$$")) {
			continue
		}
		o := object{substitution: s, text: body, line: lines}
		if o.isDisabled() {
			continue
		}
		if err := o.substitute(); err != nil {
			return r, err
		}
		if err := ids.replace(d, &o); err != nil {
			return r, err
		}
		r.findings = append(r.findings, o.findings...)
		for _, h := range o.hidden {
			h.Offset = d.start
			r.hidden = append(r.hidden, h)
		}
		if !bytes.Equal(o.changed, body) {
			r.edits = append(r.edits, splice.Edit{Start: d.start, End: d.end, Text: string(o.changed)})
		}
	}
	return r, nil
}

// part is where a document lies, without its separator.
type part struct{ start, end int }

var separator = []byte("---\n")

// documents goes through the documents of a text that kustomize printed, with the line that each begins in.
func documents(text []byte) func(yield func(part, int) bool) {
	return func(yield func(part, int) bool) {
		line := 1
		for start := 0; start < len(text); {
			if bytes.HasPrefix(text[start:], separator) {
				start, line = start+len(separator), line+1
			}
			end := len(text)
			if n := bytes.Index(text[start:], []byte("\n---\n")); n >= 0 {
				end = start + n + 1
			}
			if !yield(part{start, end}, line) {
				return
			}
			line += bytes.Count(text[start:end], []byte("\n"))
			start = end
		}
	}
}
