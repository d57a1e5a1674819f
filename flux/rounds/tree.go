package rounds

import (
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/build"
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
	local := filepath.FromSlash(build.Local(path))
	shown := files.FromHere(t.root)
	outside := &sourceError{fmt.Errorf("spec.path %s leads out of the source, %s", path, shown), outsideHint}
	system, named := files.OrDisk(t.files), filepath.Join(t.root, local)
	real, err := system.Real(named)
	switch {
	case err != nil && build.LeadsOut(path):
		return "", outside
	case err != nil:
		return "", &sourceError{fmt.Errorf("spec.path %s is not in the source, %s", path, shown),
			"Paths start from there; another folder is named with --source-root DIR, or --source."}
	case !files.Within(t.root, real):
		return "", outside
	case real != named:
		return "", &sourceError{fmt.Errorf("spec.path %s leads through a symbolic link, which is not in the source's artifact",
			path), "Name the folder that it leads to, " + files.FromHere(real) + ": source-controller leaves links out."}
	}
	if info, err := system.Stat(real); err != nil || !info.IsDir() {
		return "", &sourceError{fmt.Errorf("spec.path %s is no folder", path), "Name the folder that the file lies in."}
	}
	return real, nil
}
