package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

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

type checkCommand struct {
	renderFlags
	output        string
	stamped       bool
	severities    []string
	baseline      string
	from          string
	writeBaseline bool
}

func newCheck(p *program) *cobra.Command {
	var k checkCommand
	c := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Look for what is likely wrong with configuration and its consumers",
		Long: `Render each PATH (by default the working folder; - is a stream of manifests on standard input) and
print what is likely wrong: references to what is not there, configuration that nobody reads, values
that are never twice the same, plain Secrets, leftovers of other tools, and more.

A finding is an error, a warning or info; --severity CODE=LEVEL changes that, and off drops it. The
exit code is 1 where one reaches --fail-on, which is error by default. With --baseline FILE what the
file lists is not reported again, so that an old repository can begin; --write-baseline makes the file.

With --from REVISION it also reports protected objects (protect: in .rollstamp.yaml) that were changed,
emptied or deleted since then without an approval, which no --fail-on and no baseline leaves out, and
objects that were deleted and that a workload still needs.

--stamped is a guard at the end of a pipe: manifests that should be stamped and are not are an error.`,
		Example: `  rollstamp check overlays/prod
  rollstamp check apps/* --fail-on warning --severity unused-key=off
  rollstamp check apps/* --baseline baseline.json --write-baseline
  rollstamp check apps/* --from origin/main
  kustomize build overlays/prod | rollstamp stamp | rollstamp check --stamped -`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error { return k.run(c.Context(), p, args) })
		},
	}
	k.add(c)
	f := c.Flags()
	addIsolate(f)
	f.Lookup("fail-on").DefValue = string(config.FailOnError)
	f.BoolVar(&k.stamped, "stamped", false, "the manifests are to be stamped already")
	f.StringSliceVar(&k.severities, "severity", nil, "severity of a code: CODE=error, warning, info or off")
	f.StringVar(&k.from, "from", "",
		"revision: report what became of protected objects since then, and what workloads need and was deleted")
	f.StringVar(&k.baseline, "baseline", "", "file of findings that are known")
	f.BoolVar(&k.writeBaseline, "write-baseline", false, "write what is found to the --baseline file")
	f.StringVarP(&k.output, "output", "o", "text", "format: "+strings.Join(report.FindingsFormats(), ", "))
	offer(c, "output", report.FindingsFormats()...)
	return c
}

func (k *checkCommand) run(ctx context.Context, p *program, args []string) error {
	levels, err := parseSeverities(k.severities)
	known := oneOf("output", k.output, report.FindingsFormats()...)
	if err = errors.Join(err, k.check(), k.checkFrom(args), known); err != nil {
		return err
	}
	if k.writeBaseline && k.baseline == "" {
		return diag.Usage(errors.New("--write-baseline needs --baseline FILE"), "")
	}
	all, err := k.all(ctx, p, args)
	if err != nil {
		return err
	}
	found, failed := config.Regrade(all.found, levels), fleet.Join(all.names, all.errs)
	if k.writeBaseline {
		return errors.Join(k.saveBaseline(p, found, all), failed)
	}
	if len(found) == 0 && failed != nil && k.output == "text" {
		if others := len(all.names) - len(all.failed()); others > 0 {
			fmt.Fprintf(p.err, "note: nothing was found in %s; what follows could not be checked\n",
				diag.Count(others, "application"))
		}
		return failed
	}
	if k.baseline != "" {
		known, err := check.ReadBaseline(k.baseline)
		if err != nil {
			return errors.Join(failed, err)
		}
		if note := known.Unlike(baselineFolder(k.baseline), all.names); note != "" {
			fmt.Fprintf(p.err, "note: %s: %s\n", k.baseline, note)
		}
		found = known.New(found)
	}
	since, lost := k.since(ctx, p, args)
	found, failed = append(found, config.Regrade(since, levels)...), errors.Join(failed, lost)
	for _, f := range found {
		if f.Code == diag.ProtectedObject || all.least.IsReached(f.Severity) {
			p.exit = diag.ExitFindings
		}
	}
	if k.output != "text" {
		found = append(found, all.failures()...)
	}
	return errors.Join(showFindings(p, k.output, found), failed)
}

// saveBaseline writes what was found to the file, and names the applications that failed: what the file has of them
// stays. Where all failed there is nothing to write.
func (k *checkCommand) saveBaseline(p *program, found []diag.Finding, all checked) error {
	names, known := all.failed(), check.NewBaseline(found).In(baselineFolder(k.baseline), all.names)
	if len(names) > 0 && len(names) == len(all.names) {
		fmt.Fprintln(p.err, "note: no baseline was written: no application could be rendered")
		return nil
	}
	if len(names) > 0 {
		older, err := check.ReadBaseline(k.baseline)
		if err != nil { // there is none, or one of another version, which is written again
			older = check.NewBaseline(nil)
		}
		had := len(known.Findings)
		known = known.With(older, func(f diag.Finding) bool { return all.isOfFailed(f.File) })
		note := "note: not in the baseline: " + strings.Join(names, ", ")
		if n := len(known.Findings) - had; n > 0 {
			note = fmt.Sprintf("note: as before in the baseline (%d of its findings stay): %s", n, strings.Join(names, ", "))
		}
		fmt.Fprintln(p.err, note)
	}
	_, err := fleet.WriteFile(k.baseline, known)
	return err
}

// baselineFolder returns the working folder as seen from the folder of a baseline; "" where that is not known.
func baselineFolder(file string) string {
	at, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return ""
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(at, here)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

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
	parts, least := make([][]diag.Finding, len(names)), make([]config.FailOn, len(names))
	members, apps := make([]*fleet.Member, len(names)), make([]*app.Application, len(names))
	renders := make([]*render.Output, len(names)) // of those in which names carry digests
	applied, rules := make([]fleet.Applied, len(names)), make([][]check.Rule, len(names))
	use := func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) error {
		found, err := check.Application(ctx, result, a.Settings())
		if err == nil {
			var stale []diag.Finding
			stale, err = k.stamps(ctx, a, result)
			found = append(found, stale...)
		}
		if k.stamped && a.Stream() != nil {
			found = check.EmptyFails(found)
		}
		members[i], apps[i] = fleet.MemberOf(a, result), a
		if len(result.Plan.Renames) > 0 {
			renders[i] = result.Output
		}
		found = pipeline.NewTrace(ctx, a, result.Output).Findings(a.Settings().Severity(found))
		for i := range found {
			if found[i].File == "" && len(names) > 1 {
				found[i] = found[i].At(describedAt(a))
			}
		}
		parts[i], least[i] = append(found, a.Settings().Severity(a.Findings())...), config.FailOnError
		if a.Settings().FailOn.Source != config.Default {
			least[i] = a.Settings().FailOn.Value
		}
		if err == nil {
			rules[i], err = check.Rules(ctx, result, a.Settings())
		}
		if err == nil && len(names) > 1 {
			applied[i], err = fleet.AppliedBy(ctx, a, describedAt(a), result)
		}
		return err
	}
	reported := app.ToReport(source)
	together := checkTogether{source: reported, names: names, members: members, held: make([]fleet.Rendered, len(names))}
	errs := fleet.Run(ctx, reported, names, together.note(use), p.progress())
	together.again(ctx, use, errs)
	strictest, all, neighbours := config.FailNever, []diag.Finding(nil), fleet.NewNeighbours(members)
	neighbours.RefuseRenames(ctx, apps, renders, errs)
	for i, found := range parts {
		if errs[i] == nil {
			strictest, all = strictest.Stricter(least[i]), append(all, neighbours.Findings(i, found)...)
			all = append(all, neighbours.OrderFindings(i)...)
		}
	}
	all = append(all, fleet.SharedFindings(applied, all)...)
	if fleet.Join(names, errs) == nil { // else what failed may be what a rule is for
		all = append(all, check.UnusedRules(rules)...)
	}
	return checked{diag.Sort(findingsFromHere(all)), strictest, names, errs}, nil
}

// stamps looks at the stamps that the manifests of an application have already: whether they are right where there are
// some, or with --stamped whether all are there.
func (k *checkCommand) stamps(ctx context.Context, a *app.Application, r *pipeline.Result) ([]diag.Finding, error) {
	if k.stamped {
		return check.FindUnstamped(ctx, r, a.Stamping().Key)
	}
	return check.FindStale(r, a.Stamping().Key)
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

func showFindings(p *program, format string, found []diag.Finding) error {
	style := p.resultStyle()
	style.Least = diag.Info
	var out bytes.Buffer
	if err := report.WriteFindings(&out, format, found, style); err != nil {
		return err
	}
	return p.emit(&out)
}

// parseSeverities reads what the user wants codes to be.
func parseSeverities(flags []string) (map[string]string, error) {
	out := map[string]string{}
	for _, f := range flags {
		code, level, ok := strings.Cut(f, "=")
		err := errors.New("it is not CODE=LEVEL")
		if ok {
			err = config.CheckSeverity(code, level)
		}
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("--severity %q: %w", f, err),
				"The code of a finding is in brackets at the end of its line.")
		}
		out[code] = level
	}
	return out, nil
}
