package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// compare renders the applications of two texts, and reports whether they differ, and in what. Natively charts are
// rendered by this version of Helm; 0 is that of the settings.
func (v *convertCommand) compare(
	ctx context.Context, p *program, path string, before, after []byte, version config.HelmVersion,
) (differ bool, err error) {
	w, err := v.world(p, []string{path})
	if err != nil {
		return false, err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	ways, err := v.ways(ctx, p, version)
	if err != nil {
		return false, err
	}
	c, err := w.BothWays(ctx, path, before, after, ways)
	for _, line := range c.Differences {
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
		return len(c.Differences) > 0, err
	}
	if len(c.Differences) > 0 {
		p.exit = diag.ExitFindings
		return true, nil
	}
	fmt.Fprintf(p.err, "%s: %d of %s converted, with the same render both ways; %d left native\n", path, c.Compared,
		diag.Count(c.Compared+c.Native, "source"), c.Native)
	if ways.Chart != nil {
		fmt.Fprintf(p.err, "%s: %s renders the same bytes of %s\n", path, ways.Program, diag.Count(c.Proven, "chart"))
	}
	return false, nil
}

// ways returns how sources are rendered to be compared.
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
	return nil
}
