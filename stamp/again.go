package stamp

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// retain returns a copy of what other tools are asked about, which outlives the reading of its document; nil where the
// input is not looked at again.
func (r *reader) retain(w *compat.Workload) *compat.Workload {
	if !r.retains {
		return nil
	}
	d := r.retained(w.Object.Node.Document())
	out := *w
	out.Object.Node, out.Template, out.Report = w.Object.Node.In(d), w.Template.In(d), nil
	return &out
}

// firstRun is what came of an input that is looked at again.
type firstRun struct {
	opts      Options
	workloads []plan.Workload
	names     bool // some could carry digests, or did: what one workload consumes can change those of others
}

// MayReadAgain reports whether Workloads can be asked of the input: it was retained, and no annotations of other tools
// were in force for it.
func (in *Input) MayReadAgain() bool { return in != nil && !in.byTools }

// Workloads returns the workloads of a retained input as they are under settings that have annotations of other tools
// in force, and that are else those of the input. Nothing is read again but what the output has to look up, where that
// is another than the input's.
func (in *Input) Workloads(
	ctx context.Context, out *render.Output, settings *config.Settings,
) ([]plan.Workload, error) {
	again, err := in.readAgain(ctx, out, settings)
	if err != nil {
		return nil, err
	}
	opts := in.first.opts
	opts.Settings = settings
	_, decided, _, err := resolveAndDecide(ctx, again, opts)
	if err != nil {
		return nil, err
	}
	return decided.workloads, nil
}

// readAgain returns the input under other settings about other tools.
func (in *Input) readAgain(ctx context.Context, out *render.Output, settings *config.Settings) (*Input, error) {
	again, sees := *in, in.index
	again.out, again.workloads = out, make([]*workload, len(in.workloads))
	r := &reader{in: &again, settings: settings, tools: compat.New(settings), findings: findings{positions: in.positions}}
	r.report = func(f diag.Finding, offset int) { r.add(f, offset) }
	if len(out.Context) > len(in.out.Context) {
		again.index = in.index.WithoutContext()
		if err := r.lookUp(ctx, out.Context); err != nil {
			return nil, err
		}
	}
	for i, w := range in.workloads {
		again.workloads[i] = r.readToolsAgain(w)
	}
	r.addNamed()
	for i, w := range again.workloads {
		if again.index == sees && !in.first.names && isUnchanged(w, in.workloads[i]) {
			w.decided = &in.first.workloads[i]
		}
	}
	again.findings, again.byTools = slices.Concat(in.findings, r.list), true
	return &again, nil
}

// isUnchanged reports whether annotations of other tools mean nothing for a workload, as before.
func isUnchanged(w, before *workload) bool {
	for k := range w.templates {
		if t := &w.templates[k]; len(t.rules) > 0 || len(t.references) != len(before.templates[k].references) {
			return false
		}
	}
	return true
}

// readToolsAgain returns a workload with what annotations of other tools mean for it.
func (r *reader) readToolsAgain(before *workload) *workload {
	w := *before
	w.templates = slices.Clone(before.templates)
	for k := range w.templates {
		t := &w.templates[k]
		asked := *t.retained
		asked.Report = compat.Report(r.report)
		t.references = slices.Clip(t.references)
		t.rules = r.tools.Read(&asked)
		t.named = r.withoutExcluded(asked.Object, t.rules, t.named)
		if t.document != inPlace {
			t.rules.MoveTo(w.offset)
		}
	}
	return &w
}
