package git

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Fingerprint returns a text that decides what the tree shows at a name, with all that lies below: two trees that show
// the same fingerprint at one name show the same there, whichever commits they are of, as long as it is closed (see
// IsClosed). It is found without reading a file, and "" where there is none: a link leads to the name, it lies in
// another repository, or what is shown depends on more than the repository's objects and configuration.
func (t *Tree) Fingerprint(name string) (print string, isDir bool) {
	if t.work != nil {
		return "", false // the work tree takes part
	}
	how, ok := t.repo.conversion()
	if !ok {
		return "", false
	}
	at, err := t.walk("stat", name, stay)
	switch {
	case err != nil, at.in.repo != t.repo, name != "." && at.path != name,
		at.mode == linkMode, at.mode == moduleMode:
		return "", false
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s%s %q", at.mode, at.hash, how, name)
	t.writeAttributesAbove(&out, name)
	return out.String(), at.mode == dirMode
}

// writeAttributesAbove writes which files of attributes the folders above a name have.
func (t *Tree) writeAttributesAbove(out *strings.Builder, name string) {
	for dir := t.top; name != "."; {
		if e, err := dir.find(attributesFile); err == nil {
			fmt.Fprintf(out, " %s %s", e.mode, e.hash)
		}
		first, rest, more := strings.Cut(name, "/")
		if !more {
			return
		}
		e, err := dir.find(first)
		if err != nil {
			return
		}
		out.WriteByte('/')
		dir, name = t.repo.folder(e.hash), rest
	}
}

// IsClosed reports whether what lies at a name, and below it, lies there itself: there is no link in it, and nothing of
// another repository.
func (t *Tree) IsClosed(name string) bool {
	at, err := t.walk("stat", name, stay)
	return err == nil && at.in.repo == t.repo && t.repo.isClosed(at.entry)
}

func (r *Repository) isClosed(e entry) bool {
	switch e.mode {
	case linkMode, moduleMode:
		return false
	case dirMode:
		entries, err := r.folder(e.hash).list()
		return err == nil && !slices.ContainsFunc(entries, func(e entry) bool { return !r.isClosed(e) })
	}
	return true
}

// conversionOf returns a function that returns, found once, what of a repository's configuration decides how a file is
// shown; not ok where files beside the objects do, as the contents that Git LFS has fetched.
func conversionOf(at dirs, config settings) func() (how string, ok bool) {
	return sync.OnceValues(func() (string, bool) {
		if _, err := os.Lstat(filepath.Join(at.common, "lfs")); err == nil {
			return "", false
		}
		how := ""
		for _, name := range slices.Sorted(maps.Keys(config.filters)) {
			if config.filters[name] {
				how += fmt.Sprintf(" filter %q", name)
			}
		}
		if config.carriage {
			how += " crlf"
		}
		return how, true
	})
}
