// Package build turns a Kustomization of Flux into a request of the kustomize engine that builds what
// kustomize-controller applies.
package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/render"
)

// Tree is a source's files: where they lie, and the folder in it that spec.path names.
type Tree struct {
	Files files.System // nil is the disk; Artifact returns what of it reaches a cluster
	Root  string       // the top of the source
	Path  string       // of the Kustomization; "" is the top
}

// anywhere is the load restrictor of the controller: files come from all of the source.
const anywhere = "LoadRestrictionsNone"

// Request returns what the kustomize engine is asked for a Kustomization: its folder in the source, with the
// kustomization that the controller generates, and the fields of its spec, added in memory. The base has what a run
// permits.
func Request(k *objects.Kustomization, src Tree, base render.Request) (render.Request, error) {
	dir, err := src.folder(k)
	if err != nil {
		return render.Request{}, err
	}
	overlay, err := overlayOf(k.Spec)
	if err != nil {
		return render.Request{}, k.Fail(err, "")
	}
	if overlay.Root, err = filepath.Abs(src.Root); err == nil {
		overlay.Root, err = files.OrDisk(src.Files).Real(overlay.Root)
	}
	if err != nil {
		return render.Request{}, k.Fail(fmt.Errorf("open source: %w", files.Cause(err)), "")
	}
	base.Path, base.Files, base.Namespace = dir, src.Files, k.Spec.TargetNamespace
	base.Kustomize.LoadRestrictor = anywhere
	base.Kustomize.Overlay = overlay
	if overlay.IgnoreMissingComponents {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return render.Request{}, k.FailAt(fmt.Errorf("open spec.path: %w", err), "", "path")
		}
		for _, path := range overlay.Components {
			base.Probed = append(slices.Clip(base.Probed), filepath.Join(abs, filepath.FromSlash(path)))
		}
	}
	return base, nil
}

// folder returns the folder that spec.path names, as the user would write it.
func (t Tree) folder(k *objects.Kustomization) (string, error) {
	dir := filepath.Join(t.Root, filepath.FromSlash(Local(t.Path)))
	info, err := files.OrDisk(t.Files).Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", k.FailAt(fmt.Errorf("kustomization path not found: %s is not in the source", shown(t.Path)),
			"It starts at the top of the source, which --source-root or --source names.", "path")
	case err != nil:
		return "", k.FailAt(fmt.Errorf("open spec.path %s: %w", shown(t.Path), files.Cause(err)), "", "path")
	case !info.IsDir():
		return "", k.FailAt(fmt.Errorf("spec.path %s is a file", shown(t.Path)), "It is a folder in the source.", "path")
	}
	return dir, nil
}

func shown(path string) string { return filepath.ToSlash(filepath.Join(".", path)) }

// Local returns the folder that spec.path names, from the top of the source. The controller joins the two so that a
// path which leads out goes on from the top.
func Local(specPath string) string { return path.Join(".", path.Clean("/" + specPath)[1:]) }

// LeadsOut reports whether spec.path, as it is written, leads out of the source.
func LeadsOut(specPath string) bool {
	return !filepath.IsLocal(filepath.FromSlash(path.Join(".", strings.TrimLeft(specPath, "/"))))
}

// overlayOf returns the fields of a spec that change the kustomization.
func overlayOf(s objects.KustomizationSpec) (*render.KustomizeOverlay, error) {
	o := &render.KustomizeOverlay{
		Namespace: s.TargetNamespace, NamePrefix: s.NamePrefix, NameSuffix: s.NameSuffix,
		Components: s.Components, IgnoreMissingComponents: s.IgnoreMissingComponents, BuildMetadata: s.BuildMetadata,
	}
	for i, p := range s.Patches {
		raw, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("read spec.patches[%d]: %w", i, err)
		}
		o.Patches = append(o.Patches, raw)
	}
	for _, image := range s.Images {
		o.Images = append(o.Images, render.Image(image))
	}
	return o, nil
}

// Labels and Annotations return what the controller sets on each object that it applies for a Kustomization.
func Labels(k *objects.Kustomization) map[string]string {
	out := map[string]string{
		objects.KustomizeGroup + "/name":      k.Name,
		objects.KustomizeGroup + "/namespace": k.Namespace,
	}
	if common := k.Spec.CommonMetadata; common != nil {
		maps.Copy(out, common.Labels)
	}
	return out
}

// Annotations is as Labels.
func Annotations(k *objects.Kustomization) map[string]string {
	if common := k.Spec.CommonMetadata; common != nil {
		return common.Annotations
	}
	return nil
}
