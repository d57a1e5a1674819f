package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Place is where a run's input lies: absolute paths without symbolic links.
type Place struct {
	Dir   string       // folder of the input
	Root  string       // the repository that Dir lies in, or Dir itself where there is none
	Files files.System // where both lie; nil is the disk
	Given *Given       // what counts instead of the nearest configuration file; nil for that file
}

// Given is a configuration that whoever calls the program hands over, in the schema of the configuration file. What it
// extends, and other paths in it, are relative to the folder of the input.
type Given struct {
	Name string // as errors name it
	Text []byte
}

// Roots finds repositories and remembers them, folder by folder: a run over many applications asks for the same
// folders again and again. The zero value, and nil, are ready; it may be used from several goroutines at once.
type Roots struct {
	// Files is where the folders lie; nil is the disk. It is not to be changed after the first use.
	Files files.System
	// Top is a folder that is known to be the top of a repository, whatever it holds; absolute, without links.
	// Nor is it to be changed.
	Top string

	mu     sync.Mutex
	known  map[string]root
	disk   *files.Unlinked    // nil until it is asked for
	places map[string]located // by paths
	here   string             // the working folder, "" until it is asked for
}

// located is the place of a path.
type located struct {
	Place
	isFolder bool // the path leads to one
}

// root is what lies at or above a folder: the repository's .git, and the nearest mark; "" where there is none.
type root struct {
	git, mark      string
	isUnconfigured bool // the folder itself is known to have no configuration file
}

// Locate finds the place of an application: a file, a folder, or "" for the working directory.
func (r *Roots) Locate(path string) (Place, error) {
	at, known := r.placed(path)
	if known {
		return at.Place, nil
	}
	at, err := r.locate(r.System(), path)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.places == nil {
			r.places = map[string]located{}
		}
		r.places[path] = at
	}
	return at.Place, err
}

// Expect makes space for the places of a number of paths more.
func (r *Roots) Expect(paths int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.places) == 0 {
		r.places = make(map[string]located, paths)
	}
	if len(r.known) == 0 {
		r.known = make(map[string]root, paths)
	}
}

// IsFolder reports whether a path leads to a folder. Of one that was located it is known.
func (r *Roots) IsFolder(path string) bool {
	if at, known := r.placed(path); known {
		return at.isFolder
	}
	info, err := files.OrDisk(r.Files).Stat(path)
	return err == nil && info.IsDir()
}

func (r *Roots) placed(path string) (at located, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known = r.places[path]
	return at, known
}

// System returns where the folders lie. On the disk, what is above those of many applications is looked at once, and
// what a listing says of a folder not again.
func (r *Roots) System() files.System {
	if r == nil {
		return files.Disk{}
	}
	if r.Files != nil {
		return r.Files
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.disk == nil {
		r.disk = files.NewUnlinked(files.Disk{})
	}
	return r.disk
}

func (r *Roots) locate(system files.System, path string) (at located, err error) {
	dir, err := r.abs(path)
	if err == nil {
		dir, err = files.RealPath(system, dir)
	}
	if err != nil {
		return at, diag.Input(diag.Position{}, fmt.Errorf("find %s: %w", path, files.Cause(err)), files.HintOf(err))
	}
	at.isFolder = true
	if disk, ok := system.(*files.Unlinked); !ok || !disk.KnowsFolder(dir) {
		if info, err := system.Stat(dir); err == nil && !info.IsDir() {
			dir, at.isFolder = filepath.Dir(dir), false
		}
	}
	at.Place = Place{Dir: dir, Root: dir, Files: r.Files}
	if root, ok := r.Repository(dir); ok {
		at.Root = root
	}
	return at, nil
}

// abs is filepath.Abs, and asks once for the working folder, in which the run stays.
func (r *Roots) abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.here == "" {
		var err error
		if r.here, err = filepath.Abs("."); err != nil {
			return path, err
		}
	}
	return filepath.Join(r.here, path), nil
}

// Locate finds the place of an application; see Roots.Locate.
func Locate(path string) (Place, error) { return new(Roots).Locate(path) }

// marks are what stands at the top of a repository and nowhere else, and comes along where its files are packed
// without .git.
var marks = []string{".github", ".gitlab-ci.yml", ".gitea", ".forgejo"}

// Repository finds the repository that a folder lies in: the nearest folder upwards that holds .git, or else one of the
// marks of a repository that was unpacked without it. Dir is absolute and without links. A submodule belongs to the
// repository around it. What lies in the tree can only make the repository smaller.
func (r *Roots) Repository(dir string) (path string, ok bool) {
	if r == nil {
		r = new(Roots)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.at(dir)
	if found.git != "" {
		return found.git, true
	}
	return found.mark, found.mark != ""
}

// LacksConfiguration reports whether a place's own folder has no configuration file. One that is missing is looked for
// once: what a run over many applications asks is what they are, and then what is in force for them.
func (r *Roots) LacksConfiguration(p Place) bool {
	r.mu.Lock()
	known := r.at(p.Dir).isUnconfigured
	r.mu.Unlock()
	if known {
		return true
	}
	if there, err := files.Exists(p.Files, filepath.Join(p.Dir, FileName)); there || err != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.known[p.Dir]
	found.isUnconfigured = true
	r.known[p.Dir] = found
	return true
}

// Repository finds the repository that a folder lies in; see Roots.Repository.
func Repository(dir string) (path string, ok bool) { return new(Roots).Repository(dir) }

// at returns what lies at or above a folder.
func (r *Roots) at(dir string) root {
	if found, ok := r.known[dir]; ok {
		return found
	}
	var found root
	git := filepath.Join(dir, ".git")
	system := files.OrDisk(r.Files)
	there, _ := files.Exists(system, git) // what cannot be looked at is no repository
	if dir == r.Top && r.Top != "" || there && (isFolder(system, git) || !isSubmodule(system, git)) {
		found.git = dir
	} else {
		if up := filepath.Dir(dir); up != dir {
			found = r.at(up)
			found.isUnconfigured = false
		}
		if there && found.git == "" {
			found.git = dir
		}
		if found.git == "" && isMarked(system, dir) {
			found.mark = dir
		}
	}
	if r.known == nil {
		r.known = map[string]root{}
	}
	r.known[dir] = found
	return found
}

// isMarked reports whether a folder has a mark of the top of a repository.
func isMarked(system files.System, dir string) bool {
	return slices.ContainsFunc(marks, func(m string) bool {
		_, err := system.Lstat(filepath.Join(dir, m))
		return err == nil
	})
}

// isSubmodule reports whether a .git file is a submodule's, and not a worktree's, which is a repository's root.
func isSubmodule(system files.System, git string) bool {
	b, err := system.ReadFile(git)
	return err == nil && strings.Contains(filepath.ToSlash(string(b)), "/modules/")
}

// isFolder reports whether there is a folder at a path, and no link.
func isFolder(system files.System, path string) bool {
	info, err := system.Lstat(path)
	return err == nil && info.IsDir()
}

// Nearest returns the nearest file of a name from Dir up to Root, or "". It lies in Root, behind links too.
func (p Place) Nearest(name string) (string, error) {
	path, err := p.find(name)
	if err != nil || path == "" {
		return "", err
	}
	return inside(files.OrDisk(p.Files), p.Root, path)
}

// find returns the nearest file of a name, as it is found: perhaps a link.
func (p Place) find(name string) (string, error) {
	system := files.OrDisk(p.Files)
	for at := range files.Upwards(p.Dir, p.Root) {
		file := filepath.Join(at, name)
		there, err := files.Exists(system, file)
		if err != nil {
			return "", diag.Usage(fmt.Errorf("find %s: %w", name, err), "")
		}
		if there {
			return file, nil
		}
	}
	return "", nil
}

// inside returns path without symbolic links, which must then lie in root: the text of a file elsewhere on the
// machine must not show in an error about the rendered tree.
func inside(system files.System, root, path string) (string, error) {
	real, err := system.Real(path)
	if err != nil && files.Within(root, path) {
		return "", fmt.Errorf("read configuration: %s: %w", path, files.Cause(err))
	}
	if err != nil || !files.Within(root, real) {
		return "", fmt.Errorf("read configuration: %s leads out of %s", path, root)
	}
	return real, nil
}
