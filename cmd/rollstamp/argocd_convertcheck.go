package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// compare renders the applications of a file both ways, and reports in what they differ.
func (v *convertCommand) compare(ctx context.Context, p *program, f *convertedFile) (c rounds.Conversion, err error) {
	none := rounds.Conversion{Failed: len(f.Changed), Native: len(f.Left), Already: f.Already}
	w, err := v.world(p, []string{f.path})
	if err != nil {
		return none, err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	if len(f.Changed) == 0 {
		return w.Unconverted(ctx, f.path, f.text)
	}
	version := f.version.Helm()
	ways, err := v.ways(ctx, p, version)
	if err != nil {
		return none, err
	}
	c, err = w.BothWays(ctx, f.path, f.text, f.Text, ways)
	for _, line := range slices.Concat(c.Differences, c.Random) {
		fmt.Fprintln(p.err, line)
	}
	if len(c.Differences) > 0 && version == 0 && strings.HasPrefix(ways.Program, "helm v4.") {
		fmt.Fprintf(p.err, "hint: %s is Helm 4; --argocd-version, or helm.version in .rollstamp.yaml, has charts rendered "+
			"with it\n", ways.Program)
	}
	if len(c.Differences) > 0 && (v.pin || v.follow) && !v.revisions {
		fmt.Fprintln(p.err, "hint: what is pinned or followed is read at its commit, and the other way from the work tree: "+
			"--revisions has both read at their revisions")
	}
	if err != nil {
		if v.follow {
			fmt.Fprintln(p.err, "note: --check renders what --follow writes, as the plugin does: where the lock has no commit, that "+
				"takes --allow moving-refs, with --repo URL=FOLDER or with --allow network")
		}
	}
	if len(c.Differences) > 0 {
		p.exit = diag.ExitFindings
	}
	fmt.Fprintf(p.err, "%s: %s", f.path, converted(c))
	if c.Differ+c.Failed > 0 {
		fmt.Fprint(p.err, "; ", notConverted(c))
	}
	fmt.Fprintln(p.err)
	if ways.Chart != nil {
		fmt.Fprintf(p.err, "%s: %s renders the same bytes of %s\n", f.path, ways.Program, diag.Count(c.Proven, "chart"))
	}
	return c, err
}

// converted says how many sources are converted, and how many are not meant to be.
func converted(c rounds.Conversion) string {
	out := fmt.Sprintf("%d of %s converted, with the same render both ways; %d left native", c.Compared,
		diag.Count(c.Sources(), "source"), c.Native)
	if c.Already > 0 {
		out += fmt.Sprintf("; %d had the plugin already", c.Already)
	}
	return out
}

// notConverted says how many sources should be converted and cannot be.
func notConverted(c rounds.Conversion) string {
	return fmt.Sprintf("%d differ; %d could not be compared", c.Differ, c.Failed)
}

// ways returns how sources are rendered to be compared. Natively charts are rendered by this version of Helm; 0 is that
// of the settings.
func (v *convertCommand) ways(ctx context.Context, p *program, version config.HelmVersion) (rounds.Ways, error) {
	ways := rounds.Ways{Native: v.part(p), Converted: v.part(p)}
	if v.helm != "" {
		helm, err := v.findHelm(ctx, version)
		if err != nil {
			return ways, err
		}
		ways.Chart, ways.Program = helm.Template, "helm "+helm.Version
	}
	if version != 0 {
		native := *p
		var err error
		if native.wiring, err = p.wiring.WithHelm(version); err != nil {
			return ways, err
		}
		ways.Native = v.part(&native)
	}
	return ways, nil
}

// findHelm returns the helm that charts are compared with, which has to be the one that the Argo CD has.
func (v *convertCommand) findHelm(ctx context.Context, version config.HelmVersion) (*helmProgram, error) {
	helm, err := findHelm(ctx, v.helm)
	if err != nil {
		return nil, err
	}
	if version != 0 && !strings.HasPrefix(helm.Version, fmt.Sprintf("v%d.", version)) {
		return nil, diag.Usage(fmt.Errorf("--helm %s is %s, and Argo CD %s renders with Helm %d", v.helm, helm.Version,
			v.version, version), "Copy helm out of the repo-server's image, or say by --argocd-version which Argo CD that is.")
	}
	return helm, nil
}

// validate finds flags that have no effect.
func (v *convertCommand) validate() error {
	if v.helm != "" && !v.check {
		return diag.Usage(errors.New("--helm is what --check compares with"), "Set both.")
	}
	if v.pin && v.follow {
		return diag.Usage(errors.New("--pin and --follow exclude each other"), "")
	}
	return nil
}
