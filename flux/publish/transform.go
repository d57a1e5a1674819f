package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// transformer changes what a Kustomization renders.
type transformer struct {
	s      *Source
	of     *member
	before *before // nil where it is not known
}

// transform is the change as a step of the pipeline. A second render is changed likewise.
func (t transformer) transform(ctx context.Context, out *render.Output) (*render.Output, error) {
	for _, step := range []func(context.Context, []byte) ([]splice.Edit, error){
		t.withoutPublished, t.withStamps, t.withVariables,
	} {
		first, err := step(ctx, out.Text)
		if err != nil {
			return nil, err
		}
		second, err := step(ctx, out.SecondRender)
		if err != nil {
			return nil, err
		}
		out = out.Edit(first, second)
	}
	return out, nil
}

// withoutPublished returns the edits that leave out the Kustomizations whose renders are published themselves: else
// two would apply their objects, one of them from where these lie without stamps.
func (t transformer) withoutPublished(_ context.Context, text []byte) (edits []splice.Edit, err error) {
	if !bytes.Contains(text, []byte(objects.KustomizeGroup+"/v")) {
		return nil, nil
	}
	for d, err := range manifest.Documents(text, t.name()) {
		if err != nil {
			return nil, err
		}
		all, published := 0, 0
		for o := range d.Objects() {
			all++
			if m := t.s.describedBy(o, t.of); m != nil && t.s.IsPublished(m.name) {
				published++
			}
		}
		if all == 1 && published == 1 {
			edits = append(edits, splice.Edit{Start: d.Start, End: d.End})
		}
	}
	return edits, nil
}

// withStamps returns the edits that write the stamps of what charts render into their HelmReleases.
func (t transformer) withStamps(ctx context.Context, text []byte) ([]splice.Edit, error) {
	if !bytes.Contains(text, []byte(objects.HelmGroup+"/v")) {
		return nil, nil
	}
	var failed error
	edits, err := patches.File(text, t.name(), t.of.prefix(), func(o manifest.Object) ([]patches.Stamps, bool) {
		m := t.s.describedBy(o, t.of)
		if m == nil || o.Kind != "HelmRelease" {
			return nil, false
		}
		found, err := m.find(ctx)
		if err != nil && m.unrendered {
			err = t.before.refuse(ctx, o, m, err)
		}
		failed = errors.Join(failed, err)
		return found, m.failed == nil
	})
	return edits, errors.Join(failed, err)
}

// withVariables returns the edits that keep a Kustomization from substituting what was substituted.
func (t transformer) withVariables(_ context.Context, text []byte) ([]splice.Edit, error) {
	return artifact.KeepVariables(text, t.name())
}

// name returns what errors call a text.
func (t transformer) name() string { return "what " + t.of.id + " renders" }

// find returns the stamps of what the chart of a HelmRelease renders, or why they are not known.
func (m *member) find(ctx context.Context) ([]patches.Stamps, error) {
	m.once.Do(func() { m.stamps, m.failed = m.stampsOf(ctx) })
	return m.stamps, m.failed
}

func (m *member) stampsOf(ctx context.Context) ([]patches.Stamps, error) {
	if m.err != nil {
		return nil, m.unknown(m.err)
	}
	result, err := pipeline.Run(ctx, m.app)
	if err != nil {
		return nil, m.unknown(err)
	}
	if err := lint.RefuseMissing(result.Output, m.app.Findings()); err != nil {
		return nil, pipeline.NewTrace(ctx, m.app, result.Output).Error(err)
	}
	if err, hint := patches.Refused(result.Plan); err != nil {
		return nil, m.fail(err, diag.ExitInput, hint)
	}
	s := m.app.Settings()
	kinds := refs.NewTable(int(s.Level.Value), s.Kinds.Value)
	asTheyAre := func(name string) string { return name }
	found, err := patches.Find(result.Output.Text, result.Result.Text.Bytes(), kinds, m.prefix(), asTheyAre)
	if err != nil {
		return nil, m.unknown(err)
	}
	if what := found.Unpatched(); what != "" {
		return nil, m.fail(fmt.Errorf("no patch can set the stamps of %s", what), diag.ExitInput,
			"A list is on the way to its pod template, or its stamp is in a name (refresh: suffix).")
	}
	if _, revealing := patches.WithoutRevealing(found.Stamps, result.Output); m.secrets == Refused && len(revealing) > 0 {
		return nil, m.fail(errors.New("its chart renders a workload, or one that reads an object, with a value of a Secret in "+
			"the name, which its stamp would publish"), diag.ExitInput, diag.RowOf(diag.FluxSecretName).Hint)
	}
	for i := range found.Stamps {
		found.Stamps[i].KeepsRemoved = s.ForeignChecksums.Value != config.ForeignKeep
	}
	return found.Stamps, nil
}

// unknown returns the error of a HelmRelease that cannot be rendered: published without its stamps it would restart
// what it applies. It has the cause in it, because the release is none of what is published. Where the release could
// not even be read, the place is that of the cause.
func (m *member) unknown(cause error) error {
	m.unrendered = true
	const what = "the stamps of what its chart renders are not known: %w"
	hint, exit := hintUnknown, diag.ExitOf(cause)
	var known *diag.Error
	if !errors.As(cause, &known) {
		return m.fail(fmt.Errorf(what, cause), exit, hint)
	}
	hint = cmp.Or(known.Hint, hint)
	if m.app == nil {
		return &diag.Error{Exit: exit, Object: m.id, Pos: known.Pos, Err: fmt.Errorf(what, known.Err), Hint: hint}
	}
	cause = known.Err
	if at := known.Pos.String(); at != "" {
		cause = fmt.Errorf("%s: %w", at, known.Err)
	}
	return m.fail(fmt.Errorf(what, cause), exit, hint)
}

// hintUnknown is the next step where the cause has none.
const hintUnknown = "Correct the chart or its values: published without stamps, the release would restart nothing."

func (m *member) fail(err error, exit diag.Exit, hint string) error {
	out := &diag.Error{Exit: exit, Object: m.id, Err: err, Hint: hint}
	if m.app != nil {
		out.Pos = m.app.Origin().Pos
	}
	return out
}
