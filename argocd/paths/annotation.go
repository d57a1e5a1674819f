// Package paths returns the annotation for the paths that a render read, by which Argo CD decides which commits concern
// an application, and which part of its repository a plugin gets.
package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Annotation is the key of Argo CD's annotation manifest-generate-paths; Value returns its value.
const Annotation = "argocd.argoproj.io/manifest-generate-paths"

// Reads are the paths that one or more sources of an application read. They are absolute and clean; those outside Root
// are ignored.
type Reads struct {
	Dir  string // the application's folder
	Root string // its repository

	system       files.System
	read, listed map[string]bool
}

// Of returns what was recorded so far for an application, and the further files in also.
func Of(r *files.Recorder, dir, root string, also ...string) Reads {
	out := Reads{Dir: dir, Root: root, system: r.Base(), read: map[string]bool{}, listed: map[string]bool{}}
	for _, a := range r.Record() {
		switch {
		case a.Failed:
		case a.Method == files.Reading:
			out.add(out.read, a.Path)
		case a.Method == files.Listing: // what is added later may change the render
			out.add(out.listed, a.Path)
		case a.Method == files.Resolving:
			out.addLink(a.Path)
		}
	}
	for _, path := range also {
		if path != "" {
			out.read[filepath.Clean(path)] = true
		}
	}
	return out
}

// add records a path as it was read, and as it is after links.
func (r Reads) add(to map[string]bool, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	to[filepath.Clean(path)] = true
	if real, err := r.system.Real(path); err == nil {
		to[real] = true
	}
}

// addLink records a link that was followed: it may lead elsewhere later.
func (r Reads) addLink(path string) {
	if !filepath.IsAbs(path) {
		return
	}
	if info, err := r.system.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		r.read[filepath.Clean(path)] = true
	}
}

// Files lists the files that were read in the repository, with slashes from its top, sorted.
func (r Reads) Files() []string {
	var out []string
	for path := range r.read {
		if info, err := r.system.Lstat(path); err == nil && !info.IsDir() && files.Within(r.Root, path) {
			out = append(out, toSlash(r.Root, path))
		}
	}
	slices.Sort(out)
	return out
}

// Item is one path of the annotation.
type Item struct {
	Path string // relative to the application's folder, with slashes
	Why  string // the reason, as text
}

// Items returns the paths that the annotation needs: the application's folder, folders outside of it that were listed
// or read completely, and single files. None is inside another. A name with a ";" cannot be written in the annotation
// and is an error.
func (r Reads) Items() ([]Item, error) {
	chosen := map[string]string{r.Dir: "the application's folder"}
	for path := range r.listed {
		if files.Within(r.Root, path) && !files.Within(r.Dir, path) {
			chosen[path] = "the folder was listed: what is added to it counts"
		}
	}
	lone := map[string][]string{} // files by their folder
	for path := range r.read {
		if files.Within(r.Root, path) && !isCovered(chosen, path) {
			lone[filepath.Dir(path)] = append(lone[filepath.Dir(path)], path)
		}
	}
	for folder, names := range lone {
		if why := r.wholeFolder(folder, names); why != "" {
			chosen[folder] = why
			continue
		}
		for _, name := range names {
			chosen[name] = "the file was read"
		}
	}
	var out []Item
	for _, path := range slices.Sorted(maps.Keys(chosen)) {
		if path != r.Dir && isCovered(without(chosen, path), path) {
			continue
		}
		rel := toSlash(r.Dir, path)
		if strings.Contains(rel, ";") {
			return nil, diag.Input(diag.Position{File: path},
				errors.New("its name has a ;, which separates the paths of the annotation"), "Rename it.")
		}
		out = append(out, Item{rel, chosen[path]})
	}
	slices.SortFunc(out, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// FromTop returns items with paths from the top of the repository, which are the same for every source of an
// application.
func (r Reads) FromTop(items []Item) []Item {
	out := make([]Item, len(items))
	for i, item := range items {
		out[i] = Item{"/" + toSlash(r.Root, filepath.Join(r.Dir, filepath.FromSlash(item.Path))), item.Why}
	}
	return out
}

// maxFiles is how many files of a folder are listed one by one.
const maxFiles = 5

// wholeFolder returns why a folder replaces its files, or "" if it does not: it may not contain much that was not
// read, nor the application.
func (r Reads) wholeFolder(folder string, names []string) string {
	if files.Within(folder, r.Dir) {
		return ""
	}
	entries, err := r.system.ReadDir(folder)
	if err != nil {
		return ""
	}
	others := 0
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.IsDir() || e.Type()&fs.ModeSymlink == 0 && !slices.Contains(names, path) {
			others++
		}
	}
	switch {
	case others == 0 && len(names) > 1:
		return fmt.Sprintf("all of its %d files were read", len(names))
	case len(names) > maxFiles:
		return fmt.Sprintf("%d of its files were read", len(names))
	}
	return ""
}

// Value returns items as the annotation's value.
func Value(items []Item) string {
	paths := make([]string, len(items))
	for i, item := range items {
		paths[i] = item.Path
	}
	return strings.Join(paths, ";")
}

// Missing returns the files, with slashes from the repository's top, that an annotation's value does not cover: when
// they change, Argo CD keeps its earlier render.
func (r Reads) Missing(value string) []string {
	paths := r.parse(value)
	var out []string
	for _, file := range r.Files() {
		abs := filepath.Join(r.Root, filepath.FromSlash(file))
		if !slices.ContainsFunc(paths, func(p string) bool {
			matched, err := filepath.Match(p, abs)
			return files.Within(p, abs) || err == nil && matched
		}) {
			out = append(out, file)
		}
	}
	return out
}

// SentFolder returns the folder that Argo CD sends to a plugin for an annotation's value, if it is configured to send
// only what is needed, with slashes from the repository's top: the innermost folder that contains all of the paths and
// the application.
func (r Reads) SentFolder(value string) string {
	at := r.Dir
	for _, p := range r.parse(value) {
		for !files.Within(at, p) {
			at = filepath.Dir(at)
		}
	}
	return toSlash(r.Root, at)
}

// UnsentFiles returns the uncovered files that are outside of that folder.
func (r Reads) UnsentFiles(value string) []string {
	folder := filepath.Join(r.Root, filepath.FromSlash(r.SentFolder(value)))
	return slices.DeleteFunc(r.Missing(value), func(file string) bool {
		return files.Within(folder, filepath.Join(r.Root, filepath.FromSlash(file)))
	})
}

// parse returns the paths of an annotation's value, absolute: from the application's folder or, with a leading slash,
// from the repository's top. None leaves the repository.
func (r Reads) parse(value string) []string {
	var out []string
	for item := range strings.SplitSeq(value, ";") {
		if item == "" {
			continue
		}
		from := "/" + toSlash(r.Root, r.Dir) + "/" + item
		if strings.HasPrefix(item, "/") {
			from = item
		}
		out = append(out, filepath.Join(r.Root, filepath.FromSlash(filepath.Clean(from))))
	}
	return out
}

func isCovered(by map[string]string, path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if _, ok := by[at]; ok {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

func without(m map[string]string, key string) map[string]string {
	out := maps.Clone(m)
	delete(out, key)
	return out
}

func toSlash(from, to string) string {
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(rel)
}
