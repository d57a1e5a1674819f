// Package helm renders charts in-process, byte for byte as helm template prints them, and says what in them may differ
// from one render to the next.
package helm

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

// Engine renders charts. It implements render.Engine and render.Inflater, holds no state, and may be used from several
// goroutines at once.
type Engine struct {
	Stdin    io.Reader          // what "-f -" reads; nil is os.Stdin
	Allow    config.Permissions // what Inflate may do; a Request brings its own
	CacheDir string             // where Inflate keeps fetched charts; a Request brings its own

	RegistryConfig string       // as in a Request, for Inflate
	Logins         login.Source // credentials for registries beside those of RegistryConfig

	Version config.HelmVersion // of the Helm that renders where a request names none; 0 is Helm 3, with DropNulls
	Only    config.HelmVersion // of the Helm that renders whatever a request names; 0 for none
	Helm4   Program            // renders with Helm 4; nil where there is none
}

var (
	_ render.Engine   = Engine{}
	_ render.Inflater = Engine{}

	_ workspace.Puller = Engine{}
	_ workspace.Cache  = Engine{}
)

// Render renders the chart folder or archive at req.Path. When ctx ends first, it returns at once, though the template
// may go on running: the language has no way to stop it.
func (e Engine) Render(ctx context.Context, req render.Request) (*render.Output, error) {
	return e.renderDetached(req.Allow.Hosts.Within(ctx), req)
}

// Inflate renders a chart for a kustomization.
func (e Engine) Inflate(ctx context.Context, c render.Chart) (text []byte, random bool, err error) {
	ctx = e.Allow.Hosts.Within(ctx)
	o := c.Options
	o.ReleaseName = c.ReleaseName
	out, err := e.renderDetached(ctx, render.Request{Path: c.Path, Files: c.Files, Roots: c.Roots,
		Namespace: c.Namespace, Once: c.Once, Helm: o, Allow: e.Allow, CacheDir: e.CacheDir,
		RegistryConfig: e.RegistryConfig})
	if err != nil {
		return nil, false, err
	}
	return out.Text, out.SecondRender != nil, nil
}

// renderDetached runs the render in a goroutine of its own, and returns when ctx ends.
func (e Engine) renderDetached(ctx context.Context, req render.Request) (*render.Output, error) {
	at := diag.Position{File: req.Path}
	out, finished, err := fault.RunDetached(ctx, at, func() (*render.Output, error) { return e.render(ctx, req) })
	if !finished {
		return nil, timedOut(ctx, req)
	}
	return out, err
}

// timedOut is the error of a render that the end of ctx ended.
func timedOut(ctx context.Context, req render.Request) error {
	return diag.Input(diag.Position{File: req.Path}, fmt.Errorf("render chart: %w", context.Cause(ctx)),
		"If the chart is only slow, allow it more time with --timeout.")
}

// version returns the version of Helm that a request is rendered with.
func (e Engine) version(req render.Request) config.HelmVersion {
	return cmp.Or(e.Only, req.Helm.Version, e.Version)
}

func (e Engine) render(ctx context.Context, req render.Request) (*render.Output, error) {
	if req.Helm.Version = e.version(req); req.Helm.Version == config.Helm3 {
		req.Helm.DropNulls, req.Helm.ExactEnds = false, false // somebody wants Helm 3 itself
	}
	rel, err := newRelease(req, helm3{})
	if err != nil {
		return nil, err
	}
	values := valueReader{stdin: e.Stdin, system: files.OrDisk(req.Files), network: req.Allow.Network,
		version: req.Helm.Version}
	if values.stdin == nil {
		values.stdin = os.Stdin
	}
	if rel.values, err = values.read(ctx, req.Helm); err != nil {
		return nil, err
	}
	src := source{req: req, library: helm3{}, logins: e.Logins}
	if rel.chart, err = src.load(ctx); err != nil {
		return nil, err
	}
	rel.folders = src.folders
	var out *render.Output
	if req.Helm.Version == config.Helm4 {
		out, err = e.renderElsewhere(ctx, rel, src.parts)
		src.why += ", rendered with Helm 4"
	} else {
		out, err = rel.render()
	}
	if err != nil {
		return nil, err
	}
	out.Kind, out.Why = render.KindHelm, src.why
	out.Namespace = rel.namespace
	out.Inputs = inputs(src.paths, values.paths)
	out.Findings = append(out.Findings, values.found...)
	return out, nil
}

// inputs joins lists of absolute paths, sorted and without repetitions.
func inputs(lists ...[]string) []string {
	all := slices.Concat(lists...)
	for i, p := range all {
		all[i] = filepath.Clean(p)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
