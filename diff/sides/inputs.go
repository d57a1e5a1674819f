package sides

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diff/inputs"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// abs returns a path as an absolute one.
func (b both) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(b.here, path)
}

// changesOf returns a digest of how the work tree differs from the commit that is checked out, files included that were
// never added and lie where applications of those names, or what describes them, are.
func (b both) changesOf(names []string) string {
	paths := appendAbs(nil, b.to.list.Files()...)
	for _, name := range names {
		paths = appendAbs(paths, b.to.list.Path(name))
	}
	for i, path := range paths {
		if rel, err := filepath.Rel(b.top, path); err == nil && filepath.IsLocal(rel) {
			paths[i] = filepath.Join(b.repo.Top, rel)
		}
	}
	return b.repo.Changes(b.head, slices.DeleteFunc(paths, func(path string) bool {
		return !files.Within(b.repo.Top, path)
	})...)
}

// isUnchanged reports whether an application that was rendered on the new side would be the same on the old one. One
// that fails there is not.
func (b both) isUnchanged(ctx context.Context, now *rendered) bool {
	if described, unchanged := b.from.list.Describes(now.Name); described {
		if !unchanged {
			return false
		}
		_, err := b.from.list.Application(ctx, now.Name)
		return err == nil
	}
	if described, _ := b.to.list.Describes(now.Name); described {
		return false
	}
	return b.inputs.Same(inputs.App{
		Path: b.abs(now.from.Path()), Settings: b.settingsOf(now.from),
		Read: now.Render.Summary().Inputs, Context: b.contextOf(now.from),
		Probed: slices.Concat(now.from.Request().Probed, now.Render.Summary().Probed),
	})
}

// sameInputs reports whether the files that an application's render read on the new side are the same on the old one.
// Those of other repositories are one for both.
func (b both) sameInputs(ctx context.Context, a *app.Application, read []string) bool {
	probed := a.Request().Probed
	if how := a.Stamping(); how != nil && how.Context != nil && len(a.Settings().Context.Value) > 0 {
		all, err := how.Context.Outputs(ctx, a) // for the stamps it is rendered anyway, once
		if err != nil {
			return false
		}
		with := &render.Output{Context: all}
		read, probed = slices.Concat(read, lookups(with)), slices.Concat(probed, with.ProbedAround())
	}
	return b.inputs.Same(inputs.App{
		Path: b.abs(a.Path()), Settings: b.settingsOf(a), Read: read, Probed: probed, Context: b.contextOf(a),
		OneOutside: true,
	})
}

// settingsOf returns where the configuration and the lock of an application are looked for: for a chart that lies
// elsewhere that is where the object lies which describes the release.
func (b both) settingsOf(a *app.Application) string {
	return b.abs(a.Settings().Place().Dir)
}

// contextOf returns the folders that an application looks things up in: objects, and what Jsonnet imports.
func (b both) contextOf(a *app.Application) []string {
	around := config.Strings(a.Settings().Context.Value)
	if directory := a.Request().Plain.Directory; directory != nil && files.Within(b.top, b.abs(a.Path())) {
		for _, lib := range directory.Jsonnet.Libs {
			around = append(around, filepath.Join(b.top, filepath.FromSlash(lib)))
		}
	}
	return around
}

// sameDescription reports whether all that is known of an application that fails is the same on both sides.
func (b both) sameDescription(name, path string) bool {
	described, unchanged := b.from.list.Describes(name)
	if !described {
		return b.sameFolder(path)
	}
	hasFolder := path != name && files.Within(b.top, b.abs(path))
	return unchanged && (!hasFolder || b.sameFolder(path))
}

// pathOf returns the path of an application, also of one that could not be built.
func (b both) pathOf(one *rendered) string {
	if one.from != nil {
		return one.from.Path()
	}
	if path := b.to.list.Path(one.Name); path != one.Name {
		return path
	}
	return b.from.list.Path(one.Name)
}

// sameFolder reports whether what is known to be read of an application that fails is the same on both sides.
func (b both) sameFolder(path string) bool { return b.inputs.SameFolder(b.abs(path)) }

// lockOf returns the lock of an application at a path on the new side, as people see it from here.
func (b both) lockOf(one *rendered, path string) string {
	if one.from != nil {
		path = b.settingsOf(one.from)
	}
	if lock := b.inputs.Lock(b.abs(path)); lock != "" {
		return displayPath(lock)
	}
	return ""
}

// displayPath returns a path as it is written from the working folder.
func displayPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// unreadFiles are changed files that no application reads, and those of which that is not known.
type unreadFiles struct{ none, perhaps []string }

// unreadFiles returns the files that change where the patterns look, or in the folder of an application that objects
// found there describe, and that none of the applications reads.
func (b both) unreadFiles(patterns []string, from, to []*rendered) (out unreadFiles, err error) {
	scope, unsure := inputs.Scope{Same: map[string]bool{}}, map[string]bool{}
	for _, pattern := range patterns {
		scope.Dirs = appendAbs(scope.Dirs, folderOf(pattern))
	}
	for _, list := range []*inventory.Source{b.from.list, b.to.list} {
		scope.Read = appendAbs(scope.Read, list.Files()...)
	}
	for _, side := range [][]*rendered{from, to} {
		for _, one := range side {
			path := b.abs(b.pathOf(one))
			if described, _ := b.to.list.Describes(one.Name); described && files.Within(b.top, path) {
				scope.Dirs = append(scope.Dirs, path)
			}
			switch {
			case one.Err != nil:
				scope.Failed = append(scope.Failed, path)
			case one.Render != nil && one.same:
				scope.Same[path] = true // and nothing that it reads has changed
			case one.Render != nil:
				scope.Same[path] = false
				read, perhaps, err := readBy(one)
				if err != nil {
					return out, fmt.Errorf("%s: %w", one.Name, err)
				}
				scope.Read = append(scope.Read, read...)
				for _, path := range perhaps {
					unsure[path] = true
				}
			}
		}
	}
	for _, path := range b.inputs.UnreadFiles(scope) {
		behind := b.behind(path)
		switch {
		case isApprovals(path, from, to), b.leadsToOne(path, from, to):
		case slices.ContainsFunc(behind, func(real string) bool { return slices.Contains(scope.Read, real) }):
		case unsure[path], slices.ContainsFunc(behind, func(real string) bool { return unsure[real] }):
			out.perhaps = append(out.perhaps, displayPath(path))
		default:
			out.none = append(out.none, displayPath(path))
		}
	}
	return out, nil
}

// behind returns where a path in the repository leads through symbolic links, on each side, where that is another path
// in the repository: what reads a file names it without links.
func (b both) behind(path string) (out []string) {
	for _, side := range []side{b.from, b.to} {
		real, err := files.OrDisk(side.place.Files).Real(path)
		if err != nil {
			continue // it is not on this side
		}
		if rel, ok := files.Rel(b.repo.Top, real); ok {
			real = filepath.Join(b.top, rel)
		}
		if real != path && files.Within(b.top, real) {
			out = append(out, real)
		}
	}
	return out
}

// leadsToOne reports whether a path is a symbolic link, on one of the sides, by which an application is named that was
// rendered: that reads the link.
func (b both) leadsToOne(path string, sides ...[]*rendered) bool {
	isLink := slices.ContainsFunc([]side{b.from, b.to}, func(s side) bool {
		info, err := files.OrDisk(s.place.Files).Lstat(path)
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	})
	return isLink && slices.ContainsFunc(slices.Concat(sides...), func(one *rendered) bool {
		return one.Render != nil && files.Within(path, b.abs(b.pathOf(one)))
	})
}

// appendAbs appends paths as absolute ones.
func appendAbs(all []string, paths ...string) []string {
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			all = append(all, abs)
		}
	}
	return all
}

// readBy returns what a render read, and what is looked up for it. Of a folder of plain manifests every file is read,
// values for something else included: there those count that hold an object. In a chart those count that it uses:
// of some that is not known.
func readBy(one *rendered) (read, perhaps []string, err error) {
	r, err := one.Render.Result()
	if err != nil {
		return nil, nil, err
	}
	read = slices.Clone(r.Output.Inputs)
	if r.Output.Kind == render.KindHelm && one.from != nil {
		read, perhaps = withoutUnused(read, one.from.Request())
	}
	if r.Output.Kind == render.KindPlain && r.Plan != nil {
		holds := map[string]bool{}
		for _, p := range r.Objects.Positions() {
			if path, err := filepath.Abs(p.File); err == nil {
				holds[path] = true
			}
		}
		read = slices.DeleteFunc(read, func(path string) bool {
			return !holds[path] && manifest.IsFileName(path)
		})
	}
	return append(read, lookups(r.Output)...), perhaps, nil
}

// lookups returns what was read of what is looked up for a render.
func lookups(out *render.Output) []string {
	var read []string
	for _, around := range out.Context {
		read = append(append(read, around.Inputs...), lookups(around)...)
	}
	return read
}

// folderOf returns the folder that a pattern looks in, or the path itself.
func folderOf(pattern string) string {
	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		return pattern
	}
	return filepath.Dir(pattern[:at] + "x")
}
