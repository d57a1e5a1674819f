package kustomize

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// CheckFiles returns an error for each thing that a kustomization, or one below it, names and that a build would not
// find or not be allowed to read, in the order in which a build comes to them. Nothing is built or fetched, and what
// depends on a permission to fetch or to run something is not judged.
func CheckFiles(ctx context.Context, req render.Request) []error {
	req.Allow.Network, req.Allow.ExecPlugins = true, true
	req.Kustomize.EnableAlphaPlugin, req.Kustomize.EnableExec = true, true
	t, err := newTree(ctx, req)
	if err == nil {
		err = t.prepare()
	}
	if err != nil {
		return []error{err}
	}
	f := newFetcher(t)
	f.offline = true
	var errs []error
	w := walker{tree: t, fetch: f, gate: gate{t}, plan: &plan{read: kustomizations{}}, keep: func(err error) error {
		t.refusal = nil // it is in the error
		errs = append(errs, err)
		return ctx.Err()
	}}
	if _, err := w.walk(t.app, visit{}); err != nil {
		return append(errs, err)
	}
	for _, dir := range w.order {
		errs = append(errs, checkNamed(t, w.plan.read[dir])...)
	}
	return errs
}

// checkNamed returns the errors of what one kustomization names.
func checkNamed(t *tree, k *kustomization) (errs []error) {
	named := k.files()
	for _, f := range k.folders() {
		if _, file, err := t.CleanedAbs(filepath.Join(k.dir, f.path)); err == nil && file != "" {
			named.add(f.field, f.path) // folders were walked
		}
	}
	named = append(named, k.pluginLoads(t)...)
	seen := map[load]bool{}
	for _, f := range named {
		if f.path == "" || seen[f] || remote.IsURL(f.path) || isInline(f) {
			continue
		}
		seen[f] = true
		if _, _, err := t.load(k, f.path); err != nil {
			errs = append(errs, k.errorf(f.path, "read %q of %s: %w", f.path, f.field, err))
		}
	}
	for _, g := range k.generators {
		if g.chart == nil {
			continue
		}
		errs = append(errs, checkChart(t, g.chart)...)
	}
	return errs
}

// pluginLoads lists what the configurations of kustomize's own plugins name.
func (k *kustomization) pluginLoads(t *tree) (all loads) {
	for _, entry := range slices.Concat(k.kust.Generators, k.kust.Transformers, k.kust.Validators) {
		rs, err := parse([]byte(entry))
		if err != nil {
			_, text, err := t.load(k, entry)
			if err != nil {
				continue
			}
			if rs, err = parse(text); err != nil {
				continue
			}
		}
		for _, r := range rs {
			if r.GetKind() != chartKind && r.GetApiVersion() == konfig.BuiltinPluginApiVersion {
				all.add(r.GetKind()+" "+r.GetName(), pluginFiles(r)...)
			}
		}
	}
	return all
}

// isInline reports whether an entry is a patch by itself, where it may name one.
func isInline(f load) bool {
	if f.field != "patchesStrategicMerge" {
		return false
	}
	_, err := parse([]byte(f.path))
	return err == nil || strings.Contains(f.path, "\n")
}

// checkChart returns the errors of a chart that is not there, or whose values are not. One that may be fetched is not
// looked into.
func checkChart(t *tree, c *chart) (errs []error) {
	if err := c.check(); err != nil {
		return []error{err}
	}
	path := filepath.Join(c.home(), c.Name)
	info, err := t.overlay.System().Stat(path)
	isThere := err == nil && info.IsDir()
	if !isThere && c.Repo == "" {
		return []error{c.errorf("no folder %s, and no repo to fetch it from", t.displayPath(path))}
	}
	values := c.AdditionalValuesFiles
	switch {
	case c.ValuesMerge == mergeNot && len(c.ValuesInline) > 0: // the file takes no part
	case c.ValuesFile == "":
		values = append([]string{filepath.Join(path, "values.yaml")}, values...)
	default:
		values = append([]string{c.ValuesFile}, values...)
	}
	for _, f := range values {
		abs := f
		if !filepath.IsAbs(f) {
			abs = filepath.Join(c.of.dir, f)
		}
		if remote.IsURL(f) || !isThere && files.Within(path, abs) {
			continue // the chart has it
		}
		if _, _, err := t.load(c.of, f); err != nil {
			errs = append(errs, c.of.errorf(f, "render chart %s: read values %s: %w", c.Name, t.displayPath(abs), err))
		}
	}
	return errs
}
