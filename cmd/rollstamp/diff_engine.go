package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/sides"
	"github.com/rollstamp/rollstamp/render"
)

// engineChange is what --engine compares: an engine in two versions.
type engineChange struct{ from, to config.HelmVersion }

// Set takes helm=3:4.
func (e *engineChange) Set(text string) (err error) {
	versions, ok := strings.CutPrefix(text, "helm=")
	from, to, both := strings.Cut(versions, ":")
	if !ok || !both {
		return fmt.Errorf("%q is not an engine and two versions, as helm=3:4", text)
	}
	if e.from, err = majorVersion(from); err != nil {
		return err
	}
	if e.to, err = majorVersion(to); err != nil {
		return err
	}
	if e.from == e.to {
		return fmt.Errorf("both versions are %d", e.to)
	}
	return nil
}

// majorVersion reads a version of Helm, of which nothing but the major one can be chosen.
func majorVersion(text string) (config.HelmVersion, error) {
	if strings.Contains(text, ".") {
		return 0, fmt.Errorf("%q is more than a major version: there is one Helm 3 and one Helm 4 here", text)
	}
	return config.ParseHelmVersion(text)
}

// String returns "" where nothing was set.
func (e *engineChange) String() string {
	if e.to == 0 {
		return ""
	}
	return fmt.Sprintf("helm=%d:%d", e.from, e.to)
}

// Type is what help calls the value.
func (e *engineChange) Type() string { return "helm=FROM:TO" }

// compareEngines compares what two versions of an engine render.
func (d *diffCommand) compareEngines(
	ctx context.Context, p *program, renderer func(*program) sides.Renderer, paths []string,
) (*diff.Comparison, error) {
	versions := [2]config.HelmVersion{d.engineVersions.from, d.engineVersions.to}
	var both [2]sides.Renderer
	var labels [2]string
	for i, version := range versions {
		w, err := p.wiring.WithHelm(version)
		if err != nil {
			return nil, err
		}
		with := *p
		with.wiring, with.ends = w, nil
		p.atEnd(with.end)
		both[i], labels[i] = renderer(&with), fmt.Sprint("Helm ", version)
	}
	var own atomic.Int64
	both[1].Rendered = func(a *app.Application) {
		if namesHelm(a) {
			own.Add(1)
		}
	}
	out, err := both[1].Engines(ctx, p.wiring.Disk(), paths, both[0], labels)
	if n := int(own.Load()); err == nil && n > 0 {
		verb := "names a version of Helm, and is"
		if n > 1 {
			verb = "name a version of Helm, and are"
		}
		fmt.Fprintf(p.err, "note: %s %s compared as if it moved, too: that version stays, unless the operator says one for "+
			"all (--helm-version, %s)\n", diag.Count(n, "application"), verb, config.EnvHelmVersion)
	}
	return out, err
}

// namesHelm reports whether an application, or the configuration file above it, says which Helm renders its chart.
func namesHelm(a *app.Application) bool {
	said := a.Settings().Helm.Source
	isOwn := a.Request().Helm.Version != 0 || said != config.Default && !said.ByOperator()
	return isOwn && a.Kind() != render.KindKustomize && a.Kind() != render.KindPlain
}

// validateEngine checks what is set beside --engine.
func (d *diffCommand) validateEngine() error {
	for _, flag := range []string{"from", "to", "from-file", "to-file", "dirs", "against-binary", "against-level",
		"helm-version"} {
		if d.engineVersions.to != 0 && d.set.Changed(flag) {
			return diag.Usage(fmt.Errorf("--engine compares two versions over the files as they are, without --%s", flag),
				"Leave one of the two out.")
		}
	}
	return nil
}
