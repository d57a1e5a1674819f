package rounds

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
)

// tree is the files of a source.
type tree struct {
	files    files.System // nil is the disk
	root     string       // absolute, without links
	revision string       // the commit, "" where it is not known
	ignore   *string      // what the source itself says is left out; nil where it says nothing
	copies   *copies      // what of it lies elsewhere; nil where nothing does
}

// revisionOf returns the revision that a GitRepository names.
func revisionOf(s *objects.Source) (string, error) {
	switch r := s.Spec.Revision; {
	case r.Commit != "":
		return r.Commit, nil
	case r.Name != "":
		return r.Name, nil
	case r.Semver != "":
		return "", fmt.Errorf("%s names the newest tag in %s, which is not looked for", s, r.Semver)
	case r.Tag != "":
		return r.Tag, nil
	case r.Branch != "":
		return r.Branch, nil
	}
	return "master", nil
}

// sourceError is why the files of a source are not known.
type sourceError struct {
	err  error
	hint string
}

func (e *sourceError) Error() string { return e.err.Error() }

// outsideHint is the next step where a path leads out of its source.
const outsideHint = "It is a folder in the source of spec.sourceRef; what lies elsewhere needs a source of its own."

// inside returns the folder in a tree that spec.path names.
func (t tree) inside(path string) (string, error) {
	local := filepath.Clean(strings.TrimLeft(filepath.FromSlash(path), string(filepath.Separator)))
	if path == "" {
		local = "."
	}
	shown := files.FromHere(t.root)
	if !filepath.IsLocal(local) {
		return "", &sourceError{fmt.Errorf("spec.path %s leads out of the source, %s", path, shown), outsideHint}
	}
	system := files.OrDisk(t.files)
	real, err := system.Real(filepath.Join(t.root, local))
	if err != nil {
		return "", &sourceError{fmt.Errorf("spec.path %s is not in the source, %s", path, shown),
			"Paths start from there; another folder is named with --source-root DIR, or --source."}
	}
	if !files.Within(t.root, real) {
		return "", &sourceError{fmt.Errorf("spec.path %s leads out of the source, %s", path, shown), outsideHint}
	}
	if info, err := system.Stat(real); err != nil || !info.IsDir() {
		return "", &sourceError{fmt.Errorf("spec.path %s is no folder", path), "Name the folder that the file lies in."}
	}
	return real, nil
}
