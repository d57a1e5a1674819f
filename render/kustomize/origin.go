package kustomize

import (
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/rollstamp/rollstamp/render/kustomize/remote"
)

// trueOrigins writes into an object the origins that it has without an overlay: the chart's entry, the moved
// generator, the repository, the URL.
func (n *names) trueOrigins(r *resource.Resource) error {
	origin, err := r.GetOrigin()
	if err != nil {
		return err
	}
	if origin != nil && n.correct(origin) {
		if err := r.SetOrigin(origin); err != nil {
			return err
		}
	}
	all, err := r.GetTransformations()
	if err != nil {
		return err
	}
	changed := false
	for _, t := range all {
		changed = n.correct(t) || changed
	}
	if !changed {
		return nil
	}
	if err := r.ClearTransformations(); err != nil {
		return err
	}
	for _, t := range all {
		if err := r.AddTransformation(t); err != nil {
			return err
		}
	}
	return nil
}

// correct reports whether it changed the origin.
func (n *names) correct(origin *resource.Origin) bool {
	if c, rest := n.component(origin.Path); c != nil {
		if g := c.generator(rest); g != nil && g.chart != nil {
			*origin = resource.Origin{Repo: c.origin.repo, Ref: c.origin.ref,
				ConfiguredIn: filepath.Join(c.origin.path, g.file), ConfiguredBy: g.chart.plugin}
			return true
		}
	}
	field := &origin.Path
	if origin.ConfiguredIn != "" {
		field = &origin.ConfiguredIn
	}
	if c, rest := n.component(*field); c != nil {
		if g := c.generator(rest); g != nil {
			rest = g.file
		} else if rest == konfig.DefaultKustomizationFileName() {
			rest = c.of.name
		}
		origin.Repo, origin.Ref, *field = c.origin.repo, c.origin.ref, filepath.Join(c.origin.path, rest)
		return true
	}
	return n.fromRemote(origin, field)
}

// component returns the component that a relative path leads into, and the path from there.
func (n *names) component(path string) (c *component, rest string) {
	for dir, c := range n.components {
		if _, rest, ok := cutFolder(path, filepath.Base(dir)); ok {
			return c, rest
		}
	}
	return nil, ""
}

// fromRemote names what was fetched by its repository.
func (n *names) fromRemote(origin *resource.Origin, field *string) bool {
	for dir, c := range n.clones {
		if _, rest, ok := cutFolder(*field, filepath.Base(dir)); ok {
			if c.repo.Folder == "" {
				rest = filepath.Join(placeIn(c.repo).path, rest)
			}
			origin.Repo, origin.Ref, *field = c.repo.URL, c.repo.Ref, rest
			return true
		}
	}
	for path, url := range n.urls {
		before, _, ok := cutFolder(*field+"/", filepath.Base(path))
		if !ok {
			continue
		}
		if repo, ok := remote.Parse(url); ok { // so kustomize takes it, although it fetched a file
			p := placeIn(repo)
			origin.Repo, origin.Ref, *field = p.repo, p.ref, p.path
		} else {
			*field = filepath.Join(before, url)
		}
		return true
	}
	return false
}

// cutFolder cuts a path at a folder of this name.
func cutFolder(path, name string) (before, after string, ok bool) {
	if rest, ok := strings.CutPrefix(path, name+"/"); ok {
		return "", rest, true
	}
	before, after, ok = strings.Cut(path, "/"+name+"/")
	return before, after, ok
}
