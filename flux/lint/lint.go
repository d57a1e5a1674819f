// Package lint finds what is valid for Flux, and lets pods run on with old configuration, or restart more than once.
package lint

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/render"
)

// Substitution returns the transform that puts variables into what a Kustomization builds, and that reports what then
// does not follow them, or has been through that before.
func Substitution(substitute render.Transform) render.Transform {
	return func(ctx context.Context, before *render.Output) (*render.Output, error) {
		after, err := substitute(ctx, before)
		if err != nil || !hasVariable(before.Text) {
			return after, err
		}
		found, err := substituted(before.Text, after.Text)
		if err != nil || len(found) == 0 {
			return after, err
		}
		with := *after
		with.Findings = append(after.Findings[:len(after.Findings):len(after.Findings)], found...)
		return &with, nil
	}
}

// hasVariable reports whether a text has a variable that is not escaped.
func hasVariable(text []byte) bool {
	sign := []byte("${")
	for at := bytes.Index(text, sign); at >= 0; {
		if at == 0 || text[at-1] != '$' {
			return true
		}
		next := bytes.Index(text[at+1:], sign)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// substituted compares the documents of a render with what they are after variables were put in, one by one.
func substituted(before, after []byte) (out []diag.Finding, err error) {
	places := render.NewPlaces(after, nil)
	is := manifest.NewReader(after)
	for was, err := range manifest.Documents(before, "") {
		if err != nil {
			return nil, err
		}
		now, err := is.Next()
		if err != nil || now == nil {
			return out, err
		}
		if !hasVariable(was.Bytes()) {
			continue
		}
		at := places.At(now.Start)
		for o := range was.Objects() {
			if f, ok := suffixed(o, was, now); ok {
				out = append(out, f.At(at))
			}
			if f, ok := renderedBefore(o); ok {
				out = append(out, f.At(at))
			}
		}
	}
	return out, nil
}

// suffixed reports an object whose name has the hash of its content before variables were put in.
func suffixed(o manifest.Object, was, now *manifest.Document) (diag.Finding, bool) {
	if string(was.Body()) == string(now.Body()) || !generated.HasHash(o) {
		return diag.Finding{}, false
	}
	return diag.New(diag.FluxSuffix, o.String(),
		"the hash in its name was made before variables were put in: another value of a variable changes the content, "+
			"and not the name"), true
}

// owners are labels that kustomize-controller and helm-controller give to what they apply, and that a render for Flux
// has, too.
var owners = []string{objects.KustomizeGroup + "/name", objects.HelmGroup + "/name"}

// renderedBefore reports an object with variables that was built for Flux before, and stands in the source as it came
// out.
func renderedBefore(o manifest.Object) (diag.Finding, bool) {
	labels := o.Labels()
	for _, owner := range owners {
		if by := labels[owner]; by != "" {
			return diag.New(diag.FluxTwice, o.String(), fmt.Sprintf(
				"it was rendered for %s before, and variables are put into it again: what was escaped there is taken "+
					"for a variable here", by)), true
		}
	}
	return diag.Finding{}, false
}
