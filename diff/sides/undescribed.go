package sides

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// undescribed adds, to the side that lacks them, applications of the other side that something describes which failed
// here: a file that cannot be read, an ApplicationSet, an application in whose render they are. They are neither
// removed nor new.
func (b both) undescribed(ctx context.Context, from, to []*rendered) error {
	if err := addUndescribed(ctx, b.from.list, b.to.list, from, to); err != nil {
		return err
	}
	addPerhapsRenamed(from, to)
	return addUndescribed(ctx, b.to.list, b.from.list, to, from)
}

// addPerhapsRenamed adds to the new side the applications that it lacks, where it has one that the old side lacks and
// that failed: of what that would be, nothing is known, so it may be one of them under another name.
func addPerhapsRenamed(from, to []*rendered) {
	var failed []string
	for i, one := range to {
		if one.Err != nil && from[i].Name == "" {
			failed = append(failed, one.Name)
		}
	}
	for i, one := range from {
		if len(failed) == 0 || to[i].Name != "" || one.Name == "" || one.Err != nil {
			continue
		}
		alike := slices.IndexFunc(failed, func(name string) bool { return path.Base(name) == path.Base(one.Name) })
		by := failed[max(alike, 0)]
		to[i].App = diff.App{Name: one.Name, Err: &diff.UndescribedError{By: by}}
	}
}

func addUndescribed(ctx context.Context, here, other *inventory.Source, on, known []*rendered) error {
	f, err := failuresOf(ctx, here)
	if err != nil {
		return err
	}
	for i, one := range known {
		if on[i].Name != "" || one.Name == "" || one.Err != nil {
			continue
		}
		cause, err := f.describing(ctx, other, one.Name)
		if err != nil {
			return err
		}
		if cause != "" {
			on[i].App = diff.App{Name: one.Name, Err: &diff.UndescribedError{By: cause}}
		}
	}
	return nil
}

// failures are what failed of a side before it could be rendered.
type failures struct {
	list     *inventory.Source
	failed   map[string]bool // by name
	unread   []string        // those of them that are no application: files that were not read, as they are shown
	rendered []string        // patterns that are rendered for the objects in them
	broken   map[string]bool // by file, once it was asked for
}

func failuresOf(ctx context.Context, list *inventory.Source) (failures, error) {
	out := failures{list: list, failed: map[string]bool{}, broken: map[string]bool{}}
	names, err := list.Names(ctx)
	if err != nil {
		return out, err
	}
	for _, name := range names {
		described, _ := list.Describes(name)
		if !described {
			continue
		}
		if _, err := list.Application(ctx, name); err == nil {
			continue
		}
		out.failed[name] = true
		if len(list.Objects(name)) == 0 {
			out.unread = append(out.unread, shown(name))
		}
	}
	if len(out.unread) == 0 {
		return out, nil
	}
	for _, pattern := range list.Patterns {
		if kind, _, err := pipeline.Detect(list.Place.Files, pattern); err != nil || kind != render.KindPlain {
			out.rendered = append(out.rendered, pattern)
		}
	}
	return out, nil
}

// describing returns what failed that describes an application of the other side; "" where nothing did.
func (f failures) describing(ctx context.Context, other *inventory.Source, name string) (cause string, err error) {
	for seen := map[string]bool{}; name != "" && !seen[name]; {
		seen[name] = true
		if described, _ := other.Describes(name); !described {
			return "", nil
		}
		a, err := other.Application(ctx, name)
		if err != nil {
			return "", ctx.Err()
		}
		from := a.Origin()
		for _, by := range []string{from.Set, from.Parent} {
			if by != "" && f.failed[by] {
				return by, nil
			}
		}
		if by := f.reading(from.Pos, from.Parent); by != "" {
			return by, nil
		}
		if from.Parent == "" && f.isBroken(from.Pos.File) {
			return shown(from.Pos.File), nil
		}
		name = from.Parent
	}
	return "", nil
}

// isBroken reports isBroken of a file of this side, which may have described many applications.
func (f failures) isBroken(file string) bool {
	broken, known := f.broken[file]
	if !known {
		broken = isBroken(f.list.Place.Files, file)
		f.broken[file] = broken
	}
	return broken
}

// isBroken reports whether a file is there and is no YAML: what it described on the other side is not known, though
// nothing in it looks like an engine's object any more.
func isBroken(system files.System, file string) bool {
	if file == "" {
		return false
	}
	text, err := files.OrDisk(system).ReadFile(file)
	if err != nil {
		return false
	}
	for _, err := range manifest.Documents(text, file) {
		if err != nil {
			return true
		}
	}
	return false
}

// reading returns what was not read and holds a position in what an application renders, or in a file of the user's.
func (f failures) reading(at diag.Position, parent string) string {
	file := shown(at.File)
	for _, unread := range f.unread {
		isRender := parent != "" && unread == "what "+parent+" renders"
		if unread == file || isRender || isUnnamed(unread) && parent == "" {
			return unread
		}
		within := func(pattern string) bool {
			return isIn(pattern, unread) && (isIn(pattern, file) || file == "what "+pattern+" renders")
		}
		if parent == "" && slices.ContainsFunc(f.rendered, within) {
			return unread
		}
	}
	return ""
}

// isUnnamed reports whether a name is that of failures to read objects that have neither an object nor a file.
func isUnnamed(name string) bool { return name == "applications" || name == "flux" }

func shown(file string) string {
	if filepath.IsAbs(file) {
		return displayPath(file)
	}
	return file
}

func isIn(folder, file string) bool { return files.Within(path.Clean(folder), path.Clean(file)) }
