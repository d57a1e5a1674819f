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

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// WriteFile writes content to the file at path, in a folder that is created where needed. The file has the old bytes or
// all of the new ones at every moment, also when the process is killed; where they are the same it is not touched. Its
// mode stays, and its owner where the system lets this user set it. A symbolic link stays one: the file that it leads
// to is replaced.
func WriteFile(path string, content io.WriterTo) (changed bool, err error) {
	to, err := findFile(path)
	if err != nil {
		return false, err
	}
	return to.write(content)
}

// target is where a file is written, in a folder that is there.
type target struct {
	path string            // behind links
	old  fs.FileInfo       // of the file that is replaced; nil where there is none
	note func(files.State) // is called with the state of a file that was written; nil where nobody asks for it
}

// findFile returns where the file at a path is written, and makes its folder.
func findFile(path string) (target, error) {
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind
	}
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return target{}, unwritable(path, err)
		}
	case err != nil:
		return target{}, unwritable(path, err)
	case !old.Mode().IsRegular():
		return target{}, unwritable(path, errors.New("not a regular file"))
	}
	return target{path: path, old: old}, nil
}

// write writes the file where it has another content.
func (t target) write(content io.WriterTo) (changed bool, err error) {
	var text bytes.Buffer
	if _, err := content.WriteTo(&text); err != nil {
		return false, unwritable(t.path, err)
	}
	if t.old != nil && same(t.path, t.old, text.Bytes()) {
		return false, nil
	}
	return true, t.replace(text.Bytes())
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
func (t target) replace(text []byte) (err error) {
	tmp := filepath.Join(filepath.Dir(t.path), fmt.Sprintf(".%s.rollstamp-%x", filepath.Base(t.path), rand.Uint64()))
	defer func() {
		if err != nil {
			_ = os.Remove(tmp) // the first error is the one that matters
			err = unwritable(t.path, err)
		}
	}()
	mode := fs.FileMode(0o666) // less the umask
	if t.old != nil {
		mode = t.old.Mode().Perm()
	}
	if err := os.WriteFile(tmp, text, mode); err != nil {
		return err
	}
	if t.old != nil {
		keepOwner(tmp, t.old)
		if err := os.Chmod(tmp, mode); err != nil {
			return err
		}
	}
	if t.note == nil {
		return os.Rename(tmp, t.path)
	}
	written, lookErr := files.LookAt(tmp)
	if err := os.Rename(tmp, t.path); err != nil || lookErr != nil {
		return err
	}
	if now, err := files.LookAt(t.path); err == nil && now.IsOf(written) { // else another process has replaced it already
		t.note(now)
	}
	return nil
}

func unwritable(path string, err error) error {
	return diag.Input(diag.Position{File: path}, fmt.Errorf("write: %w", files.Cause(err)), "")
}
