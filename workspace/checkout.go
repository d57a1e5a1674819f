package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Checkout is the files of a repository at a revision, or those of a chart.
type Checkout struct {
	URL      string
	Root     string       // the top of the files; absolute, without links
	Files    files.System // where they are read
	Revision string       // the full hash of the commit, "" where it is not known
	Work     bool         // the files are those of a work tree, whatever revision was asked for
	Assumed  bool         // they are because the revision is not known here

	mu      sync.Mutex
	listed  bool
	names   []string // of all files, with slashes, sorted
	folders []string // all that hold a file, in the order of a walk
}

// Read returns a file's content by its path with slashes.
func (c *Checkout) Read(name string) ([]byte, error) {
	b, err := c.Files.ReadFile(filepath.Join(c.Root, filepath.FromSlash(name)))
	if err != nil {
		return nil, diag.Input(diag.Position{File: name}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return b, nil
}

// FileNames lists all files, sorted, links among them.
func (c *Checkout) FileNames() ([]string, error) {
	err := c.list()
	return c.names, err
}

// Folders lists all folders that hold a file somewhere below, for that is what Git knows, in the order of a walk.
func (c *Checkout) Folders() ([]string, error) {
	err := c.list()
	return c.folders, err
}

func (c *Checkout) list() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed {
		return nil
	}
	if _, err := c.walk("", &ignores{}); err != nil {
		return err
	}
	slices.Sort(c.names)
	slices.SortFunc(c.folders, inWalkOrder)
	c.listed = true
	return nil
}

// inWalkOrder sorts as filepath.WalkDir comes across folders: each before what lies in it, and that before its next
// neighbour.
func inWalkOrder(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// walk goes through a folder and reports whether a file lies in it.
func (c *Checkout) walk(folder string, ignored *ignores) (found bool, err error) {
	entries, err := c.Files.ReadDir(filepath.Join(c.Root, filepath.FromSlash(folder)))
	if err != nil {
		return false, diag.Input(diag.Position{File: folder}, fmt.Errorf("list files: %w", files.Cause(err)), "")
	}
	if c.Work {
		ignored = ignored.in(folder, entries, c.Read)
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if entry.Name() == ".git" || ignored.takes(name, entry.IsDir()) {
			continue
		}
		if !entry.IsDir() {
			c.names = append(c.names, name)
			found = true
			continue
		}
		inside, err := c.walk(name, ignored)
		if err != nil {
			return false, err
		}
		if inside {
			c.folders = append(c.folders, name)
			found = true
		}
	}
	return found, nil
}

// Folder finds a folder of the checkout and returns its path without links. It must lie in the checkout.
func (c *Checkout) Folder(name string) (string, error) {
	where := filepath.Join(c.Root, filepath.FromSlash(name))
	real, err := c.Files.Real(where)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, files.Cause(err))
	}
	if !files.Within(c.Root, real) {
		return "", fmt.Errorf("find %s: it leads out of the repository", name)
	}
	return real, nil
}

// Join returns one system that shows the files of all the checkouts, and elsewhere the disk's.
func Join(all ...*Checkout) files.System {
	var union files.Union
	for _, c := range all {
		if tree, ok := c.Files.(files.Mount); ok {
			union.Trees = append(union.Trees, tree)
		}
	}
	if len(union.Trees) == 0 {
		return files.Disk{}
	}
	return union
}
