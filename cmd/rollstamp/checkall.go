package main

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

// checked is what was found in applications.
type checked struct {
	found []diag.Finding // of those that did not fail
	least config.FailOn  // the severity that fails the run: the strictest that any of them asks for
	names []string       // of all
	errs  []error        // by name; nil where it did not fail
}

// failed returns the names of the applications that failed.
func (c checked) failed() (names []string) {
	for i, err := range c.errs {
		if err != nil {
			names = append(names, c.names[i])
		}
	}
	return names
}

// isOfFailed reports whether a file may be one of an application that failed: it is in its folder, or in that of none.
func (c checked) isOfFailed(file string) bool {
	longest, failed := -1, true
	for i, name := range c.names {
		in := name == "" || name == "." || file == name || strings.HasPrefix(file, name+"/")
		if in && len(name) > longest {
			longest, failed = len(name), c.errs[i] != nil
		}
	}
	return failed
}

// failures returns the applications that failed as findings, for reports that no errors accompany.
func (c checked) failures() (out []diag.Finding) {
	for i, err := range c.errs {
		for _, one := range diag.Unjoin(err) {
			out = append(out, report.RenderFailed(c.names[i], errorText(one), failureAt(one)))
		}
	}
	return out
}

// failureAt returns where an error is, as it is written from the working folder.
func failureAt(err error) diag.Position {
	at := fleet.FailureAt(nil, err)
	if filepath.IsAbs(at.File) {
		at.File = fromHere(at.File)
	}
	return at
}

// present returns the applications that are there. With --from what is gone may have been there: the comparison refuses
// what is on neither side.
func (k *checkCommand) present(ctx context.Context, p *program, args []string) (app.Source, error) {
	source, err := k.source(ctx, p, args)
	if list, ok := source.(*inventory.Source); ok && err == nil {
		list.Absent = k.from != ""
	}
	return source, err
}

// all looks at all applications.
func (k *checkCommand) all(ctx context.Context, p *program, args []string) (checked, error) {
	source, err := k.present(ctx, p, args)
	if err != nil {
		return checked{}, err
	}
	names, err := source.Names(ctx)
	if err != nil {
		return checked{}, err
	}
	reported := app.ToReport(source)
	r := newCheckRun(k, names)
	errs := fleet.RunLazily(ctx, reported, names, r.use, p.progress())
	r.again(ctx, reported, errs)
	out, err := r.join(ctx, errs)
	if err == nil && fleet.Join(names, errs) == nil { // else a line may be about what failed
		out.found = diag.Sort(appendFromHere(out.found, lockFindings(ctx, source, k.as, args, r.apps)))
	}
	return out, err
}

// checkRun is what a run of check knows of its applications, by their numbers.
type checkRun struct {
	check    *checkCommand
	names    []string
	found    []diag.Packed
	also     [][]diag.Finding // without a position of their own, about how it was found, and about the cache
	least    []config.FailOn
	members  []*fleet.Member
	apps     []*app.Application
	renders  []*render.Output // of those in which names carry digests
	applied  []fleet.Applied
	rules    [][]check.Rule
	inputs   [][]string       // what was read, of those that have rules
	together []fleet.Rendered // those whose source has stamps of what others of the run render
}

func newCheckRun(k *checkCommand, names []string) *checkRun {
	n := len(names)
	return &checkRun{
		check: k, names: names, found: make([]diag.Packed, n), also: make([][]diag.Finding, n),
		least: make([]config.FailOn, n), members: make([]*fleet.Member, n), apps: make([]*app.Application, n),
		renders: make([]*render.Output, n), applied: make([]fleet.Applied, n), rules: make([][]check.Rule, n),
		inputs: make([][]string, n), together: make([]fleet.Rendered, n),
	}
}

// use is fleet.UseLazily.
func (r *checkRun) use(ctx context.Context, i int, a *app.Application, rendered *pipeline.Rendered) error {
	seen, err := pipeline.Derive(ctx, a, rendered, r.check.look())
	if err != nil {
		return err
	}
	r.members[i], r.apps[i], r.found[i] = fleet.MemberWith(a, rendered), a, seen.Found
	if r.rules[i] = check.Rules(a.Settings(), seen.Fits); len(r.rules[i]) > 0 {
		r.inputs[i] = rendered.Summary().Inputs
	}
	if r.also[i], err = seen.Placeless.AppendTo(nil); err != nil {
		return err
	}
	for k, f := range r.also[i] {
		if len(r.names) > 1 {
			r.also[i][k] = f.At(describedAt(a))
		}
	}
	if damaged := rendered.Damaged(); len(damaged) > 0 {
		r.also[i] = append(r.also[i], pipeline.NewTrace(ctx, a, nil).Findings(a.Settings().Severity(damaged))...)
	}
	r.also[i] = append(r.also[i], a.Settings().Severity(a.Findings())...)
	if r.least[i] = config.FailOnError; a.Settings().FailOn.Source != config.Default {
		r.least[i] = a.Settings().FailOn.Value
	}
	isTied, isPlaced := seen.Together && len(r.names) > 1, a.Destination().Cluster() != "" && len(r.names) > 1
	if !isTied && !isPlaced && !rendered.Summary().Renames {
		return nil
	}
	result, err := rendered.Result()
	if err != nil {
		return err
	}
	if len(result.Plan.Renames) > 0 {
		r.renders[i] = result.Output
	}
	if isTied {
		r.together[i] = fleet.Rendered{App: a, Result: result}
	}
	if isPlaced {
		r.applied[i], err = fleet.AppliedBy(ctx, a, describedAt(a), result)
	}
	return err
}

// read returns the files that were read, by their absolute paths.
func (r *checkRun) read() map[string]bool {
	out := map[string]bool{}
	for _, all := range r.inputs {
		for _, file := range all {
			out[file] = true
		}
	}
	return out
}

// join returns what was found in all applications, with what each knows of the others. Of many findings there is one
// list: they may be most of the memory of a run.
func (r *checkRun) join(ctx context.Context, errs []error) (checked, error) {
	count := 0
	for i := range r.found {
		count += r.found[i].Len() + len(r.also[i])
	}
	strictest, all, neighbours := config.FailNever, make([]diag.Finding, 0, count), fleet.NewNeighbours(r.members)
	neighbours.RefuseRenames(ctx, r.apps, r.renders, errs)
	var part []diag.Finding
	for i, packed := range r.found {
		if errs[i] != nil {
			continue
		}
		var err error
		if part, err = packed.AppendTo(part[:0]); err != nil {
			return checked{}, err
		}
		part = append(part, r.also[i]...)
		strictest, all = strictest.Stricter(r.least[i]), appendFromHere(all, neighbours.Findings(i, part))
		all = appendFromHere(all, neighbours.OrderFindings(i))
	}
	neighbours.AddLost(errs)
	all = appendFromHere(all, fleet.SharedFindings(r.applied, all))
	if fleet.Join(r.names, errs) == nil { // else what failed may be what a rule is for
		all = appendFromHere(all, check.UnusedRules(r.rules, r.read()))
	}
	return checked{diag.Sort(all), strictest, r.names, errs}, nil
}

// describedAt returns where an application is described, for findings that have no place: in the object of an engine,
// or in the file by which its folder is a chart or a kustomization; its name where there is none.
func describedAt(a *app.Application) diag.Position {
	all := []diag.Position{a.Origin().Pos, {File: a.Path()}}
	for _, name := range append(render.KustomizationFiles[:], "Chart.yaml") {
		all = append(all, diag.Position{File: path.Join(a.Path(), name)})
	}
	if at := fleet.FailureAt(a.Request().Files, nil, all...); at.File != "" {
		if filepath.IsAbs(at.File) {
			at.File = fromHere(at.File)
		}
		return at
	}
	return diag.Position{File: a.Name()}
}
