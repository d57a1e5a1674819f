// Package lint finds what is valid for Flux, and lets pods run on with old configuration, or restart more than once.
package lint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/render"
)

// Substitution returns the transform that puts variables into what a Kustomization builds, and that reports what then
// does not follow them, or has been through that before.
func Substitution(k *objects.Kustomization, substitute render.Transform) render.Transform {
	return func(ctx context.Context, before *render.Output) (*render.Output, error) {
		after, err := substitute(ctx, before)
		if err != nil || after == before { // nothing is put in: no variable is known
			return after, err
		}
		found, err := substituted(k, before.Text, after.Text)
		if err != nil || len(found) == 0 {
			return after, err
		}
		with := *after
		with.Findings = slices.Concat(after.Findings, found)
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
func substituted(k *objects.Kustomization, before, after []byte) (out []diag.Finding, err error) {
	if !hasVariable(before) && !mayHaveOwner(before) {
		return nil, nil
	}
	places := render.NewPlaces(after, nil)
	is, rendered := manifest.NewReader(after), ""
	for was, err := range manifest.Documents(before, "") {
		if err != nil {
			return nil, err
		}
		now, err := is.Next()
		if err != nil || now == nil {
			return out, err
		}
		isChanged := string(was.Body()) != string(now.Body())
		if !isChanged && !hasVariable(was.Bytes()) && (rendered != "" || !mayHaveOwner(was.Bytes())) {
			continue
		}
		at := places.At(now.Start)
		if isChanged {
			for o := range now.Objects() {
				out = append(out, numbered(o, places)...)
			}
		}
		for o := range was.Objects() {
			if isChanged && hasVariable(was.Bytes()) && generated.HasHash(o) {
				out = append(out, suffixed(o).At(at))
			}
			by := renderedFor(o)
			if by == "" {
				continue
			}
			rendered = by
			if isChanged || hasVariable(was.Bytes()) && !substitute.IsDisabled(o.Node) {
				out = append(out, substitutedTwice(o, by).At(at))
			}
		}
	}
	if rendered != "" {
		out = append(out, renderedBefore(k, rendered))
	}
	return out, nil
}

// suffixed reports an object whose name has the hash of its content before variables were put in.
func suffixed(o manifest.Object) diag.Finding {
	return diag.New(diag.FluxSuffix, o.String(),
		"the hash in its name was made before variables were put in: another value of a variable changes the content, "+
			"and not the name")
}

// The labels that kustomize-controller and helm-controller give to what they apply, as a render for Flux has them.
const (
	kustomizationLabel = objects.KustomizeGroup + "/name"
	releaseLabel       = objects.HelmGroup + "/name"
)

// mayHaveOwner reports whether one of these labels may stand in a text.
func mayHaveOwner(text []byte) bool {
	return bytes.Contains(text, []byte(kustomizationLabel)) || bytes.Contains(text, []byte(releaseLabel))
}

// renderedFor returns the name of what an object was rendered for before it came into the source; "" where that is
// nothing.
func renderedFor(o manifest.Object) string {
	labels := o.Labels()
	return cmp.Or(labels[kustomizationLabel], labels[releaseLabel])
}

// substitutedTwice reports an object that was rendered for Flux before, and in which postBuild finds something again.
func substitutedTwice(o manifest.Object, by string) diag.Finding {
	return diag.New(diag.FluxTwice, o.String(), fmt.Sprintf("it was rendered for %s before, and variables are put into "+
		"it again: what was escaped there is taken for a variable here", by))
}

// renderedBefore reports postBuild over what was rendered before, such as an artifact of ours.
func renderedBefore(k *objects.Kustomization, by string) diag.Finding {
	return diag.New(diag.FluxPostBuild, k.String(), fmt.Sprintf("it has postBuild, and what it applies was rendered for "+
		"%s before, with variables put in", by)).At(k.Pos)
}
