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
	path []any // to the field of the object that asks for them, from spec on; none where it is the object's
}

func (e *sourceError) Error() string { return e.err.Error() }

// inside returns the folder in a tree that spec.path names.
func (t tree) inside(path string) (string, error) {
	local := filepath.FromSlash(build.Local(path))
	shown := "the working folder"
	if here := files.FromHere(t.root); here != "." {
		shown = here
	}
	if t.copies != nil {
		shown = "what is copied into " + t.copies.name
	}
	fail := func(hint, format string, args ...any) (string, error) {
		err := fmt.Errorf("spec.path %s "+format, append([]any{path}, args...)...)
		return "", &sourceError{err, hint, []any{"path"}}
	}
	system, named := files.OrDisk(t.files), filepath.Join(t.root, local)
	real, err := system.Real(named)
	switch {
	case err != nil && !build.LeadsOut(path):
		return fail("Paths start from there; another folder is named with --source-root DIR, or --source.",
			"is not in the source, %s", shown)
	case err != nil || !files.Within(t.root, real):
		return fail("It is a folder in the source of spec.sourceRef; what lies elsewhere needs a source of its own.",
			"leads out of the source, %s", shown)
	case real != named:
		return fail("Name the folder that it leads to, "+files.FromHere(real)+": source-controller leaves links out.",
			"leads through a symbolic link, which is not in the source's artifact")
	}
	if info, err := system.Stat(real); err != nil || !info.IsDir() {
		return fail("Name the folder that the file lies in.", "is no folder")
	}
	return real, nil
}
