package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
)

// WriteFile writes content to the file at path, in a folder that is created where needed. The file has the old bytes or
// all of the new ones at every moment, also when the process is killed; where they are the same it is not touched. Its
// mode stays, and its owner where the system lets this user set it. A symbolic link stays one: the file that it leads
// to is replaced.
func WriteFile(path string, content io.WriterTo) (changed bool, err error) {
	changed, _, err = writeFile(path, content)
	return changed, err
}

// WriteBelow is WriteFile for a file of an output folder. What a symbolic link leads to outside of that is left alone:
// the folder may lie in a repository, where the link may be anybody's.
func WriteBelow(dir, path string, content io.WriterTo) (changed bool, err error) {
	if err := stayBelow(dir, path); err != nil {
		return false, err
	}
	return WriteFile(path, content)
}

// stayBelow returns an error where a path is not below a folder, or where links lead from there to somewhere else.
func stayBelow(dir, path string) error {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return unwritable(path, err)
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return unwritable(path, err)
	}
	if !files.Within(folder, at) {
		return diag.Input(diag.Position{File: path}, fmt.Errorf("write: the path leads out of %s", dir),
			"Name the application otherwise: only what lies in that folder is written.")
	}
	top, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil //nolint:nilerr // the folder is not there, and nothing in it
	}
	for ; at != folder && at != filepath.Dir(at); at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			continue // what is not there is created
		}
		if files.Within(top, real) {
			return nil
		}
		return diag.Input(diag.Position{File: path}, fmt.Errorf("write: a symbolic link leads out of %s", dir),
			"Remove the link, or name the folder that is meant: only what lies in it is written.")
	}
	return nil
}

// WriteManifests is WriteBelow for the manifests of a result. Where an earlier run is known to have written them there,
// nothing is read and nothing written.
func WriteManifests(dir, path string, of *pipeline.Rendered) error {
	if of.IsIn(path) {
		return nil
	}
	if err := stayBelow(dir, path); err != nil {
		return err
	}
	result, err := of.Result()
	if err != nil {
		return err
	}
	begun := time.Now()
	before, lookErr := files.LookAt(path)
	changed, now, err := writeFile(path, result)
	switch {
	case err != nil:
		return err
	case changed:
		of.NoteFile(path, now)
	case lookErr == nil && before.IsBefore(begun):
		of.NoteFile(path, before)
	}
	return nil
}

// writeFile is WriteFile, and returns the state of a file that it changed; the zero value where that is not known.
func writeFile(path string, content io.WriterTo) (changed bool, now files.State, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return false, now, unwritable(path, err)
		}
	case err != nil:
		return false, now, unwritable(path, err)
	case !old.Mode().IsRegular():
		return false, now, unwritable(path, errors.New("not a regular file"))
	}
	var text bytes.Buffer
	if _, err := content.WriteTo(&text); err != nil {
		return false, now, unwritable(path, err)
	}
	if old != nil && same(path, old, text.Bytes()) {
		return false, now, nil
	}
	now, err = replace(path, old, text.Bytes())
	return true, now, err
}

func same(path string, old fs.FileInfo, text []byte) bool {
	if old.Size() != int64(len(text)) {
		return false
	}
	have, err := os.ReadFile(path)
	return err == nil && bytes.Equal(have, text)
}

// replace writes a neighbour of the file and renames it. The neighbour's name has none of the endings of a manifest, so
// that what a killed run left of it is never applied, and it is random: machines that share a volume have processes of
// the same number.
func replace(path string, old fs.FileInfo, text []byte) (now files.State, err error) {
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.rollstamp-%x", filepath.Base(path), rand.Uint64()))
	defer func() {
		if err != nil {
			_ = os.Remove(tmp) // the first error is the one that matters
			err = unwritable(path, err)
		}
	}()
	mode := fs.FileMode(0o666) // less the umask
	if old != nil {
		mode = old.Mode().Perm()
	}
	if err := os.WriteFile(tmp, text, mode); err != nil {
		return now, err
	}
	if old != nil {
		keepOwner(tmp, old)
		if err := os.Chmod(tmp, mode); err != nil {
			return now, err
		}
	}
	written, lookErr := files.LookAt(tmp)
	if err := os.Rename(tmp, path); err != nil || lookErr != nil {
		return now, err
	}
	if now, err = files.LookAt(path); err != nil || !now.IsOf(written) {
		return files.State{}, nil //nolint:nilerr // another process has replaced it already
	}
	return now, nil
}

func unwritable(path string, err error) error {
	return diag.Input(diag.Position{File: path}, fmt.Errorf("write: %w", files.Cause(err)), "")
}
