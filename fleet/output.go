package fleet

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
)

// OutputFolder is a folder below which a run writes files. What a symbolic link leads to outside of it is left alone:
// it may lie in a repository, where the link may be anybody's. It remembers which folders in it are there and are no
// links, so that those above thousands of files are looked at once; it is for one run, in which links stay as they are,
// and may be used from several goroutines.
type OutputFolder struct {
	dir string // as the user wrote it, cleaned

	mu    sync.Mutex
	plain map[string]bool // the folders in it that are there, and that no link in it leads to; by the path from it
}

// NewOutputFolder returns the folder at a path, which need not be there yet.
func NewOutputFolder(dir string) *OutputFolder {
	return &OutputFolder{dir: filepath.Clean(dir), plain: map[string]bool{}}
}

// WriteBelow is OutputFolder.Write for one file.
func WriteBelow(dir, path string, content io.WriterTo) (changed bool, err error) {
	return NewOutputFolder(dir).Write(path, content)
}

// Write is WriteFile for a file of the folder.
func (o *OutputFolder) Write(path string, content io.WriterTo) (changed bool, err error) {
	to, err := o.find(path)
	if err != nil {
		return false, err
	}
	return to.write(content)
}

// WriteManifests is Write for the manifests of a result. Where an earlier run is known to have written them there,
// nothing is read and nothing written.
func (o *OutputFolder) WriteManifests(path string, of *pipeline.Rendered) error {
	if of.IsIn(path) {
		return nil
	}
	result, err := of.Result()
	if err != nil {
		return err
	}
	to, err := o.find(path)
	if err != nil {
		return err
	}
	if !of.IsCached() {
		_, err := to.write(result)
		return err
	}
	to.note = func(now files.State) { of.NoteFile(path, now) }
	begun := time.Now()
	before, lookErr := files.LookAt(path)
	changed, err := to.write(result)
	if err == nil && !changed && lookErr == nil && before.IsBefore(begun) {
		of.NoteFile(path, before)
	}
	return err
}

// find returns where a file of the folder is written, and makes the folders that it lies in.
func (o *OutputFolder) find(path string) (target, error) {
	rel, err := o.rel(path)
	if err != nil {
		return target{}, err
	}
	at := filepath.Join(o.dir, rel)
	if o.enter(filepath.Dir(rel)) {
		old, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target{path: at}, nil
		case err == nil && old.Mode().IsRegular():
			return target{path: at, old: old}, nil
		}
	}
	if err := o.checkLinks(rel); err != nil {
		return target{}, err
	}
	return findFile(at)
}

// rel returns a path as it is written from the folder. One that is not below it is an error.
func (o *OutputFolder) rel(path string) (string, error) {
	if filepath.IsAbs(path) == filepath.IsAbs(o.dir) {
		if rel, ok := files.Rel(o.dir, path); ok {
			return rel, nil
		}
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return "", unwritable(path, err)
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return "", unwritable(path, err)
	}
	rel, ok := files.Rel(dir, at)
	if !ok {
		return "", diag.Input(diag.Position{File: path}, fmt.Errorf("write: the path leads out of %s", o.dir),
			"Name the application otherwise: only what lies in that folder is written.")
	}
	return rel, nil
}

// enter makes a folder in it where there is nothing, and reports whether it is plain: a folder that is there, and that
// no link in this one leads to. Of others, and of those that cannot be made, nothing is remembered.
func (o *OutputFolder) enter(rel string) bool {
	if o.isPlain(rel) {
		return true
	}
	at := filepath.Join(o.dir, rel)
	look, create := os.Lstat, os.Mkdir
	if rel == "." { // the user names it, through links too
		look, create = os.Stat, os.MkdirAll
	} else if !o.enter(filepath.Dir(rel)) {
		return false
	}
	info, err := look(at)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(at, 0o777); errors.Is(err, fs.ErrExist) {
			info, err = look(at) // who made it in the meantime may have made a link
		}
	}
	if err != nil || info != nil && !info.IsDir() {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.plain[rel] = true
	return true
}

func (o *OutputFolder) isPlain(rel string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.plain[rel]
}

// checkLinks returns an error where links lead from a path in the folder to somewhere else.
func (o *OutputFolder) checkLinks(rel string) error {
	top, err := files.RealPath(files.Disk{}, o.dir)
	if err != nil {
		return nil //nolint:nilerr // the folder is not there, and nothing in it
	}
	for at := rel; at != "."; at = filepath.Dir(at) {
		real, err := files.RealPath(files.Disk{}, filepath.Join(o.dir, at))
		if err != nil {
			continue // what is not there is created
		}
		if files.Within(top, real) {
			return nil
		}
		return diag.Input(diag.Position{File: filepath.Join(o.dir, rel)},
			fmt.Errorf("write: a symbolic link leads out of %s", o.dir),
			"Remove the link, or name the folder that is meant: only what lies in it is written.")
	}
	return nil
}
