package migrate

import (
	"context"
	"reflect"
	"slices"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// compare adds what an application has to the tools, with the workloads that either side alone restarts.
func (m *migration) compare(ctx context.Context, a *application, tools []*Tool) error {
	proposed, err := m.proposed(ctx, a)
	if err != nil {
		return err
	}
	stamped := stampedOf(proposed)
	for i, t := range tools {
		if t == nil {
			continue
		}
		u := &a.uses[i]
		t.Controllers, t.Found = append(t.Controllers, u.controllers...), append(t.Found, u.found...)
		t.Leftovers = append(t.Leftovers, u.leftovers...)
		if !t.Compared {
			continue
		}
		if t.Name != reloader {
			m.divide(i, a, stamped, m.rolled(i, a), t)
			m.addAbsent(i, a, t, proposed, nil)
			continue
		}
		if err := m.compareReloader(ctx, i, a, stamped, t); err != nil {
			return err
		}
	}
	return nil
}

// compareReloader is compare for Reloader, whose counterpart are the workloads that are stamped where it alone decides.
func (m *migration) compareReloader(
	ctx context.Context, i int, a *application, stamped map[name]*plan.Workload, t *Tool,
) error {
	only, err := m.underReloader(ctx, a, a.Result.Output)
	if err != nil {
		return err
	}
	t.RunAgain = append(t.RunAgain, a.runAgain(only)...)
	m.divide(i, a, stamped, stampedOf(only), t)
	var around []plan.Workload
	if others := m.withOthers(a, only); others != nil {
		if around, err = m.underReloader(ctx, a, others); err != nil {
			return err
		}
	}
	m.addAbsent(i, a, t, only, around)
	return nil
}

// proposed returns the workloads with the tools honoured of which the application has something.
func (m *migration) proposed(ctx context.Context, a *application) ([]plan.Workload, error) {
	settings, changed := a.App.Settings().Clone(), false
	for i, t := range m.tools {
		if t.honour != nil && (len(a.uses[i].found) > 0 || t.name == reloader && len(m.args) > 0) {
			t.honour(&settings.Compat)
			changed = true
		}
	}
	if !changed {
		return a.Result.Plan.Workloads, nil
	}
	return m.under(ctx, a, settings, a.Result.Output)
}

// under returns the workloads of an application under other settings about tools, of the same render.
func (m *migration) under(
	ctx context.Context, a *application, settings *config.Settings, out *render.Output,
) ([]plan.Workload, error) {
	if args := &settings.Compat.ReloaderArgs; args.Source == config.Default || len(args.Value) == 0 {
		args.Value = m.reloaderArgs()
	}
	if out == a.Result.Output && reflect.DeepEqual(settings.Compat, a.App.Settings().Compat) {
		return a.Result.Plan.Workloads, nil // they are in force already
	}
	return a.Result.WorkloadsUnder(ctx, a.App, settings, out)
}

// underReloader returns the workloads where those alone are stamped that Reloader restarts, with what the output has to
// look up.
func (m *migration) underReloader(ctx context.Context, a *application, out *render.Output) ([]plan.Workload, error) {
	if len(a.uses[m.index(reloader)].found) == 0 && len(m.args) == 0 {
		return nil, nil
	}
	settings := a.App.Settings().Clone()
	settings.Compat.Reloader.Value = config.ReloaderOnly
	if len(m.args) > 0 { // whatever the file says
		settings.Compat.ReloaderArgs.Value = m.reloaderArgs()
	}
	return m.under(ctx, a, settings, out)
}

// runAgain returns the jobs among workloads that Reloader restarts, stamped or not.
func (a *application) runAgain(only []plan.Workload) (out []Workload) {
	for i := range only {
		w := only[i]
		counts := slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.Digest != "" })
		if w.Stamped = true; counts && compat.RunsAgain(w.Kind) {
			out = append(out, a.workload(&w))
		}
	}
	return out
}

// stampedOf returns the workloads of a list that something restarts.
func stampedOf(all []plan.Workload) map[name]*plan.Workload {
	out := map[name]*plan.Workload{}
	for i := range all {
		if w := &all[i]; isStamped(w) {
			out[nameOf(w)] = w
		}
	}
	return out
}

// rolled returns the workloads that a tool restarts. What other tools exclude counts for it.
func (m *migration) rolled(i int, a *application) map[name]*plan.Workload {
	out, t := map[name]*plan.Workload{}, &m.tools[i]
	for k := range a.Result.Plan.Workloads {
		if w := &a.Result.Plan.Workloads[k]; (t.concerns == nil || t.concerns(w)) && t.restarts(&a.uses[i].asked, w) {
			out[nameOf(w)] = w
		}
	}
	return out
}

// divide adds the workloads that are stamped or restarted, and not both, to a tool.
func (m *migration) divide(i int, a *application, stamped, rolled map[name]*plan.Workload, t *Tool) {
	for k := range a.Result.Plan.Workloads {
		w := &a.Result.Plan.Workloads[k]
		if concerns := m.tools[i].concerns; concerns != nil && !concerns(w) {
			continue
		}
		ours, isOurs := stamped[nameOf(w)]
		theirs, isTheirs := rolled[nameOf(w)]
		switch {
		case isOurs && isTheirs && t.Name == reloader:
			if more := a.workload(withoutShared(ours, theirs)); len(more.For) > 0 {
				t.OnlyStamped = append(t.OnlyStamped, more)
			}
		case isOurs && !isTheirs:
			t.OnlyStamped = append(t.OnlyStamped, a.workload(ours))
		case isTheirs && !isOurs:
			one := *theirs
			if m.tools[i].absent != nil { // see addAbsent
				one.References = slices.DeleteFunc(slices.Clone(one.References), isAbsent)
			}
			if len(one.References) > 0 || len(theirs.References) == 0 {
				t.OnlyTool = append(t.OnlyTool, a.workload(&one))
			}
		}
	}
}

// withoutShared returns a workload without what another plan has it restarted for, too.
func withoutShared(w, other *plan.Workload) *plan.Workload {
	out := *w
	out.References = slices.DeleteFunc(slices.Clone(w.References), func(r plan.Reference) bool {
		return r.Digest == "" || slices.ContainsFunc(other.References, func(o plan.Reference) bool {
			return o.Digest != "" && o.Kind == r.Kind && o.Namespace == r.Namespace && o.Name == r.Name
		})
	})
	return &out
}

func nameOf(w *plan.Workload) name { return name{w.Kind, w.Namespace, w.Name} }

// isStamped reports whether something that a workload consumes restarts it.
func isStamped(w *plan.Workload) bool {
	return w.Stamped && slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.Digest != "" })
}

// workload returns a workload with what it is restarted for.
func (a *application) workload(w *plan.Workload) Workload {
	object := manifest.Describe(w.Kind, w.Namespace, w.Name)
	out := Workload{App: a.name, Object: a.hide(object), For: []string{}, Place: a.place(w.Position, object)}
	for _, r := range w.References {
		if r.Digest != "" || !isStamped(w) {
			out.For = append(out.For, a.hide(manifest.Describe(r.Kind, "", r.Name)))
		}
	}
	return out
}
