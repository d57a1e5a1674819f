package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
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
  rollstamp check 'apps/*' --fail-on warning --severity unused-key=off
  rollstamp check 'apps/*' --baseline baseline.json --write-baseline
  rollstamp check 'apps/*' --from origin/main
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
	since, lost, err := k.since(ctx, p, args)
	if err != nil {
		return errors.Join(failed, err)
	}
	if len(found)+len(since) == 0 && failed != nil && k.output == "text" {
		if others := len(all.names) - len(all.failed()); others > 0 {
			fmt.Fprintf(p.err, "note: nothing was found in %s; what follows could not be checked\n",
				diag.Count(others, "application"))
		}
		return errors.Join(failed, lost)
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
