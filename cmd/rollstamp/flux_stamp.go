package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/flux/rounds"
	"github.com/rollstamp/rollstamp/internal/gc"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

type fluxStampCommand struct {
	renderFlags
	findings findingsTo
	check    bool
	parsed   objects.Cache // what several states of the files have in common
}

func newFluxStamp(p *program) *cobra.Command {
	var f fluxStampCommand
	c := &cobra.Command{
		Use:   "stamp [PATH...]",
		Short: "Write stamps into Kustomizations and HelmReleases, as patches",
		Long: `Write the stamps of what Flux applies into Flux's own objects at each PATH (by default the working folder),
and into those that they lead to. What lies at PATH may be a part of what a cluster has, such as one application:
the Kustomizations of the repository that lead to it are rendered with it.

A Kustomization gets its stamps in spec.patches, a HelmRelease in spec.postRenderers, as one patch for each
workload, which sets nothing but stamps in its pod template. So a change of a key, a variable or the lock moves
one line of Git, which Flux applies.

Files are edited in place: comments and order stay, and a second run changes nothing. rollstamp
unstamp takes the patches out again. With --check nothing is written, and what restarts is printed.

A stamp that this run cannot compare, because it lacks a key or a part of the cluster, stays as it is, and the
exit code is 1. Where only files are written, --fail-on never says that this is no failure.`,
		Example: `  rollstamp flux stamp clusters/production
  rollstamp flux stamp clusters/production --check`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), p, args) },
	}
	f.add(c)
	f.findings.add(c)
	c.Flags().BoolVar(&f.check, "check", false, "write nothing, and end with 1 where a file is not what would be written")
	hideSaid(c.Flags())
	return c
}

// fluxMember is a Kustomization or HelmRelease with what it applies.
type fluxMember struct {
	wanted  *patches.Wanted
	inPlace []patches.Stamps // of objects that have them themselves
	written []patches.Stamps // that objects have themselves now
	isLost  bool             // what applies the object replaces the patches that it has
	isKept  bool             // its stamps cannot be written, or do not reach their workloads: they stay as they are
	holder  *fluxMember      // whose patches have its stamps: itself, or one that leads to it
	app     *app.Application
	output  *render.Output // without the patches that it has
	plan    *plan.Plan
	keyed   []stampAt        // that stay, because this run has no hash key to make others with
	bare    []patches.Stamps // the objects that get no stamps, and may have some
}

func (f *fluxStampCommand) run(ctx context.Context, p *program, paths []string) error {
	if f.as != "" && f.as != "flux" {
		return diag.Usage(errors.New("--as: what is stamped are Flux's objects"), "")
	}
	f.as, f.parsed = "flux", objects.Cache{}
	if err := f.renderFlags.check(); err != nil {
		return err
	}
	gc.AllowHeap(gc.MaxAllowed) // it renders all that a cluster has
	if len(paths) == 0 {
		paths = []string{"."}
	}
	scope, err := f.scope(ctx, p, paths)
	if err != nil {
		return err
	}
	source := scope.source
	names, err := source.Names(ctx)
	if err != nil {
		return err
	}
	members, outcomes := make([]*fluxMember, len(names)), make([]fleet.Outcome, len(names))
	errs := fleet.Run(ctx, source, names,
		func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) (err error) {
			if a, err = withUnpinned(ctx, a, result); err != nil {
				return err
			}
			m, err := newFluxMember(ctx, source, a, result)
			if m != nil {
				a = m.app
			}
			if scope.takes(names[i]) {
				outcomes[i] = fleet.OutcomeOf(a, result).WithoutResult()
			}
			if err := lint.RefuseMissing(result.Output, a.Findings()); err != nil {
				return pipeline.NewTrace(ctx, a, result.Output).Error(err)
			}
			members[i] = m
			return err
		}, p.progress())
	run := f.newRun(ctx, p, scope, slices.DeleteFunc(slices.Clone(members), func(m *fluxMember) bool { return m == nil }))
	if run.keepAll(ctx, source, members, outcomes) {
		p.exit = diag.ExitFindings
	}
	err = errors.Join(f.findings.report(ctx, p, outcomes), scope.errors(p, names, errs))
	if errors.Is(err, patches.ErrStrategy) {
		fmt.Fprintln(p.err, "rollstamp: no file is written: a strategy is for all that a run stamps, or for none of it")
		return err
	}
	run.fail(objectsOf(source, names), failedObjects(source, names, errs))
	changed, kept, unknown := run.write(ctx)
	if err = errors.Join(err, kept, unknown); unknown != nil {
		return err
	}
	run.noteUnresolved(p, changed)
	if f.check {
		return errors.Join(err, run.showStale(ctx, p, changed))
	}
	return errors.Join(err, writeFluxFiles(p, changed, err != nil))
}

// stateOf returns the applications of files of which some have other contents, by their real paths. Those that a filter
// takes, by their objects, are built without the patches that set nothing but stamps: kustomize takes long for these,
// and no stamp depends on them.
func (f *fluxStampCommand) stateOf(
	ctx context.Context, p *program, scope fluxScope, contents map[string][]byte, withoutStamps func(object string) bool,
) (app.Described, error) {
	run := f.objectRun(workspace.WorkTree, "")
	run.withoutStamps, run.parsed, run.parts, run.forElsewhere = withoutStamps, f.parsed, scope.only, true
	place := p.wiring.Disk()
	if len(contents) > 0 {
		place.Files = files.Replaced{Contents: contents}
	}
	return f.adapters["flux"].reader(p, run)(ctx, place, scope.paths)
}

// newRun returns what is written for: who else reads a file is looked for once, and only where it matters.
func (f *fluxStampCommand) newRun(
	ctx context.Context, p *program, scope fluxScope, members []*fluxMember,
) *fluxRun {
	source := scope.source
	takes := func(m *fluxMember) bool { return scope.stamps(m.app) }
	r := &fluxRun{members: members, takes: takes, elsewhere: sync.OnceValue(func() *rounds.Elsewhere {
		if all, ok := source.(*rounds.Source); ok {
			return all.Elsewhere(ctx)
		}
		return &rounds.Elsewhere{}
	})}
	r.mayLose = func(name string) bool {
		all, ok := source.(*rounds.Source)
		return ok && all.MayLoseStamps(name)
	}
	r.isOutside = func(file string) bool {
		all, ok := source.(*rounds.Source)
		return ok && all.IsOutside(file)
	}
	r.with = func(ctx context.Context, contents map[string][]byte, patched map[string]bool) (app.Source, error) {
		isBare := func(object string) bool { return !patched[object] }
		state, err := f.stateOf(ctx, p, scope, contents, isBare)
		if err != nil {
			return nil, err
		}
		state.Reuse(source, func(_ *app.Application, read []string) bool { return !readsOne(read, contents) })
		_, err = state.Names(ctx)
		return state, err
	}
	return r
}

// newFluxMember returns what one of Flux's objects is to have.
func newFluxMember(
	ctx context.Context, source app.Source, a *app.Application, result *pipeline.Result,
) (*fluxMember, error) {
	w := &patches.Wanted{Pos: a.Origin().Pos}
	if described, ok := source.(app.Described); ok {
		if of := described.Objects(a.Name()); len(of) > 0 {
			kind, name, _ := strings.Cut(of[0], " ")
			w.Kind = kind
			w.Namespace, w.Name, _ = strings.Cut(name, "/")
		}
	}
	if err, hint := patches.Refused(result.Plan); err != nil {
		return nil, w.Fail(err, hint)
	}
	s := a.Settings()
	w.Prefix = app.StampPrefix(s)
	kinds := refs.NewTable(int(s.Level.Value), s.Kinds.Value)
	found, err := patches.Find(result.Output.Text, result.Result.Text.Bytes(), kinds, w.Prefix,
		beforeAffixes(a.Request()))
	if err != nil {
		return nil, err
	}
	if len(found.Other) > 0 {
		err := fmt.Errorf("no patch can set the stamps of %s", result.Output.Secrets().In(found.Other[0].String()))
		return nil, w.Fail(err, "Its stamp is in a name (refresh: suffix).")
	}
	w.Stamps = slices.DeleteFunc(found.Stamps, isRenamed(result.Output.Findings))
	for i := range w.Stamps {
		w.Stamps[i].KeepsRemoved = s.ForeignChecksums.Value != config.ForeignKeep
		w.Stamps[i].Frozen = frozenKeys(source, a.Name(), result, w.Stamps[i].Object())
	}
	m := &fluxMember{wanted: w, written: found.Written, app: a, output: result.Output, plan: result.Plan,
		bare: slices.DeleteFunc(found.Bare, isRenamed(result.Output.Findings))}
	m.leaveOut(namedByPlaintext(result.Output.Findings))
	m.reportListed(ctx, found.Listed)
	m.hideNames(ctx)
	return m, nil
}

// reportListed reports the objects whose stamps no patch can set.
func (m *fluxMember) reportListed(ctx context.Context, listed []patches.Stamps) {
	var found []diag.Finding
	trace := pipeline.NewTrace(ctx, m.app, m.output)
	for i := range listed {
		object := m.output.AllSecrets().In(listed[i].Object())
		f := diag.New(diag.FluxNoPatch, object,
			"its stamps are in items of a list, which no patch sets: what it reads restarts nothing")
		found = append(found, f.At(trace.At(diag.Position{Line: listed[i].Line}, "")))
	}
	m.app = m.app.WithFindings(found...)
}

// withUnpinned returns an application that reports the versions which are to be pinned: patches set stamps alone.
func withUnpinned(ctx context.Context, a *app.Application, result *pipeline.Result) (*app.Application, error) {
	if a.Settings().Refresh.Value != config.RefreshPin {
		return a, nil
	}
	fields, err := patches.Fields(result.Output.Text, result.Result.Text.Bytes(), app.StampPrefix(a.Settings()))
	if err != nil || len(fields) == 0 {
		return a, err
	}
	var out []diag.Finding
	trace := pipeline.NewTrace(ctx, a, result.Output)
	for _, field := range fields {
		message := fmt.Sprintf("it was to get %s: %q, which no patch writes: "+
			"write it into its file, or set refresh: annotate", field.Path, field.Value)
		f := diag.New(diag.FluxPin, field.Object, message).WithKey(field.Path)
		out = append(out, f.At(trace.At(diag.Position{Line: field.Line}, "")))
	}
	return a.WithFindings(out...), nil
}

// isRenamed returns what reports whether an object has another name at each render, as a finding has it: no patch
// fits it.
func isRenamed(findings []diag.Finding) func(patches.Stamps) bool {
	return func(s patches.Stamps) bool {
		return slices.ContainsFunc(findings, func(f diag.Finding) bool {
			return f.Code == diag.FluxRenamed && f.Object == s.Object()
		})
	}
}

// leaveOut takes the stamps of objects out of what the member is to have.
func (m *fluxMember) leaveOut(objects []string) {
	if len(objects) == 0 {
		return
	}
	for i := range m.wanted.Stamps {
		s := &m.wanted.Stamps[i]
		at := slices.IndexFunc(m.plan.Workloads, func(w plan.Workload) bool { return isNamed(&w, s.Object()) })
		if at < 0 {
			continue
		}
		for _, r := range m.plan.Workloads[at].References {
			isOne := slices.Contains(objects, manifest.Describe(r.Kind, r.Namespace, r.Name)) ||
				slices.Contains(objects, manifest.Describe(r.Kind, "", r.Name))
			if isOne && r.Annotation != m.wanted.Prefix.Combined() {
				s.Without(r.Annotation)
			}
		}
	}
	m.wanted.Stamps = slices.DeleteFunc(m.wanted.Stamps, func(s patches.Stamps) bool { return len(s.Places) == 0 })
}

// namedByPlaintext returns the Secrets whose names end in the hash of a ciphertext here, and of what is encrypted in
// the cluster: that name changes with the content there, and a stamp under this one would change with the ciphertext.
func namedByPlaintext(findings []diag.Finding) (objects []string) {
	for _, f := range findings {
		name := f.Object[strings.LastIndexAny(f.Object, " /")+1:]
		if _, named := generated.Base(name); named && f.Code == diag.GeneratedEncrypted {
			objects = append(objects, f.Object)
		}
	}
	return objects
}

// beforeAffixes returns the name that an object of a render had before the prefix and suffix of its kustomization.
func beforeAffixes(q render.Request) func(string) string {
	if q.Kustomize.Overlay == nil {
		return func(name string) string { return name }
	}
	around := patches.AffixesIn(q.Files, q.Path)
	if o := q.Kustomize.Overlay; o.NamePrefix != "" {
		around.Prefix = o.NamePrefix
	}
	if o := q.Kustomize.Overlay; o.NameSuffix != "" {
		around.Suffix = o.NameSuffix
	}
	return around.Without
}
