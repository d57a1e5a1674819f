// Package inputs reports whether all that an application was rendered from is the same in two states of a repository:
// then it is rendered once, for both.
package inputs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// App is what an application was rendered from on the new side. Paths are absolute.
type App struct {
	Path     string   // its folder, or its file
	Settings string   // where its configuration and lock are looked for, where that is not Path; "" for Path
	Read     []string // files that the engine read, in its folder and elsewhere
	Probed   []string // where it was looked for what need not be there: files and folders
	Context  []string // what it looks objects up in
	// OneOutside says that what lies outside of the repository was read in one version, the same for both sides.
	OneOutside bool
}

// Comparer compares what applications are rendered from in two states of a repository. What they have above them is
// compared once. It is for one run, in which the files stay as they are, and may be used from several goroutines.
type Comparer struct {
	sides git.Sides

	mu    sync.Mutex
	above map[string]bool   // by folder: it and those above it have the same configuration and lock
	locks map[string]string // by folder: the nearest lock of the new side
	links map[string]bool   // by folder: it, or one on the way to it, is a link, or not there
}

// NewComparer returns a comparer of two states.
func NewComparer(sides git.Sides) *Comparer {
	return &Comparer{sides: sides, above: map[string]bool{}, locks: map[string]string{},
		links: map[string]bool{sides.Top: false}}
}

// Same reports whether an application that was rendered on the new side would be the same on the old one: its folder,
// every other file that was read, the folders that these lie in, what was looked for and may be missing, what it looks
// things up in, and the configuration files and locks on the way up are the same. Where that is in doubt the answer is
// no.
func (c *Comparer) Same(app App) bool {
	for _, around := range app.Context {
		if !files.Within(c.sides.Top, around) || !c.sides.Same(around) {
			return false
		}
	}
	if !sameProbed(c.sides, app) || app.Settings != "" && app.Settings != app.Path && !c.sameAbove(app.Settings) {
		return false
	}
	if app.OneOutside && !files.Within(c.sides.Top, app.Path) {
		return c.sameRead(app, false)
	}
	same, isPlain := c.sameFolder(app.Path)
	return same && c.sameRead(app, isPlain)
}

// SameFolder reports whether the folder of an application, or its file, and the configuration and locks on the way up
// are the same on both sides: all that is known to be read of one that cannot be rendered.
func (c *Comparer) SameFolder(path string) bool {
	same, _ := c.sameFolder(path)
	return same
}

// sameFolder is SameFolder, and reports whether the path is known to be one of a folder in which there is no link.
func (c *Comparer) sameFolder(path string) (same, isPlain bool) {
	info, err := os.Lstat(path)
	if c.sides.To != nil || err != nil || !info.IsDir() || !files.Within(c.sides.Top, path) {
		return c.sides.Same(path) && c.sameAbove(path), false
	}
	folder := c.sides.SameFolder(path)
	switch {
	case !folder.IsSame:
		return false, false
	case !folder.IsPlain, folder.Has(config.FileName), folder.Has(lock.FileName):
		return c.sameAbove(path), folder.IsPlain
	}
	return path == c.sides.Top || c.sameFrom(filepath.Dir(path)), true
}

// sameRead compares what was read outside of the application's folder, which is known to hold no links where isPlain
// says so. What was read through links, wherever, is taken for changed: the link may be the same and lead to something
// else.
func (c *Comparer) sameRead(app App, isPlain bool) bool {
	names := map[string]bool{}
	for _, input := range app.Read {
		outside, isOwn := !files.Within(c.sides.Top, input), files.Within(app.Path, input)
		at := input
		if isOwn && isPlain && app.Path != c.sides.Top {
			at = filepath.Dir(app.Path)
		}
		switch {
		case outside && app.OneOutside:
		case outside || c.leadsThroughLinks(at):
			return false
		case isOwn:
		case !c.sides.SameFile(input):
			return false
		default:
			// A file that is new in one of these folders may be read, too. Those above the application hold others
			// beside it.
			for dir := filepath.Dir(input); !names[dir] && !files.Within(dir, app.Path); dir = filepath.Dir(dir) {
				if !c.sides.SameNames(dir) {
					return false
				}
				names[dir] = true
			}
		}
	}
	return true
}

// sameProbed compares what was looked for on the new side and may be missing: what only the old side has, only that one
// reads.
func sameProbed(sides git.Sides, app App) bool {
	for _, path := range app.Probed {
		if !files.Within(sides.Top, path) {
			if !app.OneOutside {
				return false
			}
			continue
		}
		info, now := sides.New().Stat(path)
		_, before := sides.Old().Stat(path)
		switch {
		case errors.Is(now, fs.ErrNotExist) && errors.Is(before, fs.ErrNotExist):
		case now != nil || before != nil:
			return false
		case info.IsDir() && !sides.SameNames(path), !info.IsDir() && !sides.SameFile(path):
			return false
		}
	}
	return true
}

// leadsThroughLinks reports whether a path within the repository, or a folder on the way to it, is a link.
func (c *Comparer) leadsThroughLinks(path string) bool {
	if c.sides.To != nil {
		return !c.sides.IsDirect(path)
	}
	c.mu.Lock()
	is, known := c.links[path]
	c.mu.Unlock()
	if known {
		return is
	}
	info, err := os.Lstat(path)
	is = err != nil || info.Mode()&fs.ModeSymlink != 0 || c.leadsThroughLinks(filepath.Dir(path))
	if err == nil && !info.IsDir() && !is {
		return false // there are many files, and each is asked for by few
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.links[path] = is
	return is
}

// sameAbove compares the configuration files and locks from an application's folder, or that of its file, on upwards.
func (c *Comparer) sameAbove(app string) bool {
	if info, err := c.sides.New().Stat(app); err == nil && !info.IsDir() {
		app = filepath.Dir(app)
	}
	if !files.Within(c.sides.Top, app) {
		return true
	}
	if !c.sameHere(app) {
		return false
	}
	return app == c.sides.Top || c.sameFrom(filepath.Dir(app))
}

// sameHere compares the configuration file and the lock of a folder.
func (c *Comparer) sameHere(dir string) bool {
	return sameOrNone(c.sides, filepath.Join(dir, config.FileName)) &&
		sameOrNone(c.sides, filepath.Join(dir, lock.FileName))
}

// sameFrom compares the configuration files and locks from a folder within the repository on upwards.
func (c *Comparer) sameFrom(dir string) bool {
	c.mu.Lock()
	same, known := c.above[dir]
	c.mu.Unlock()
	if !known {
		same = c.sameHere(dir) && (dir == c.sides.Top || c.sameFrom(filepath.Dir(dir)))
		c.mu.Lock()
		defer c.mu.Unlock()
		c.above[dir] = same
	}
	return same
}

// Lock returns the nearest lock of the new side from a path within the repository upwards; "" for none.
func (c *Comparer) Lock(path string) string {
	if !files.Within(c.sides.Top, path) {
		return ""
	}
	at := filepath.Join(path, lock.FileName)
	switch _, err := c.sides.New().Stat(at); {
	case err == nil:
		return at
	case path == c.sides.Top:
		return ""
	}
	dir := filepath.Dir(path)
	c.mu.Lock()
	found, known := c.locks[dir]
	c.mu.Unlock()
	if !known {
		found = c.Lock(dir)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.locks[dir] = found
	}
	return found
}

// sameOrNone reports whether a file is the same, or on neither side. A configuration that builds on another is taken
// for changed.
func sameOrNone(sides git.Sides, path string) bool {
	text, err := sides.New().ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = sides.Old().Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && !bytes.Contains(text, []byte("extends")) && sides.SameFile(path)
}
