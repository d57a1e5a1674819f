package fleet

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
)

// folder is where an application lies that is called by its path; the zero value for others.
type folder struct {
	root string // of the repository
	dir  string // with its configuration
	path string // as context: may name it: dir, or a file there
}

// newFolder returns where an application lies.
func newFolder(a *app.Application) folder {
	place, origin := a.Settings().Place(), a.Origin()
	path, err := filepath.Abs(a.Path())
	if err != nil || origin.Fetched || origin.Pos != (diag.Position{}) || place.Dir == "" ||
		filepath.Clean(a.Path()) != filepath.Clean(a.Name()) {
		return folder{}
	}
	out := folder{root: place.Root, dir: place.Dir, path: place.Dir}
	if filepath.Base(path) != filepath.Base(place.Dir) && filepath.Base(filepath.Dir(path)) == filepath.Base(place.Dir) {
		out.path = filepath.Join(place.Dir, filepath.Base(path))
	}
	return out
}

// ContextPath returns how context: in the folder of the application that has a need names the i-th one; "" where that
// is not known.
func (n *Neighbours) ContextPath(i int, of *Need) string {
	if i < 0 || n.members[i] == nil || of.at.dir == "" {
		return ""
	}
	to := n.members[i].at()
	if to.root != of.at.root || to.dir == of.at.dir {
		return ""
	}
	rel, err := filepath.Rel(of.at.dir, to.path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
