package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// Change is what a run did to the files of an output folder.
type Change struct {
	Written map[string]string // the names of applications, with the argument that named each
	Removed []Leftover
}

// Write brings the index of the folder up to date with what the run changed. Another run may write it at the same time,
// a shard for example: what that has changed stays. The folder guards holds what keeps the two apart.
func (r Run) Write(ctx context.Context, guards string, change Change) error {
	at := filepath.Join(r.Dir, Name)
	unlock, err := guard(ctx, guards, at)
	if err != nil {
		return diag.Input(diag.Position{File: at}, fmt.Errorf("write index: %w", files.Cause(err)), "")
	}
	defer unlock()
	x, err := Read(r.Dir)
	if err != nil {
		return err
	}
	for _, l := range change.Removed {
		delete(x.entries, l.entry)
	}
	entry, err := r.entries()
	if err != nil {
		return err
	}
	pathOf, paths := r.indexPaths(), map[string]string{} // by arguments, of which there may be few
	written := make(map[string]string, len(change.Written))
	for name, argument := range change.Written {
		file, err := entry(name)
		if err != nil {
			return err
		}
		if _, known := paths[argument]; !known {
			paths[argument] = pathOf(argument)
		}
		written[file] = paths[argument]
	}
	for file := range x.entries {
		if _, isOwn := written[file]; !isOwn && !isFile(filepath.Join(r.Dir, filepath.FromSlash(file))) {
			delete(x.entries, file)
		}
	}
	maps.Copy(x.entries, written) // these are there: the run wrote them, or found what it would write
	if _, err := os.Stat(at); err != nil && len(x.entries) == 0 {
		return nil
	}
	_, err = fleet.WriteBelow(r.Dir, at, x)
	return err
}

// guard waits until no other run writes the file.
func guard(ctx context.Context, dir, file string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(abs)))))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil // the process's end does it, too
}

// Remove removes files that the index lists, with the folders that are empty then. It follows no link out of the
// folder.
func (r Run) Remove(all []Leftover) error {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return diag.Input(diag.Position{File: r.Dir}, fmt.Errorf("prune: %w", files.Cause(err)), "")
	}
	defer func() { _ = root.Close() }() // nothing is written through it
	for _, l := range all {
		if err := root.Remove(l.entry); err != nil {
			return diag.Input(diag.Position{File: l.File}, fmt.Errorf("prune: %w", files.Cause(err)), "")
		}
		for dir := path.Dir(l.entry); dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil {
				break // there is something else in it
			}
		}
	}
	return nil
}

// Join copies what several folders hold by their indexes into one, with one index, as a run that was not divided writes
// them: what none of them has stays there as it was, of an application that failed for example.
func Join(dir string, parts []string) error {
	all, err := Read(dir)
	if err != nil {
		return err
	}
	for file := range all.entries {
		if !isFile(filepath.Join(dir, filepath.FromSlash(file))) {
			delete(all.entries, file)
		}
	}
	return all.join(parts)
}

// Replace copies what a folder holds by its index into another one, whose index lists nothing else then.
func Replace(dir, from string) error {
	return (&Index{dir: dir, entries: map[string]string{}}).join([]string{from})
}

// join copies what folders hold into the one of the index, and writes it.
func (x *Index) join(parts []string) error {
	out := fleet.NewOutputFolder(x.dir)
	for _, part := range parts {
		from, err := Read(part)
		if err != nil {
			return err
		}
		for file, argument := range from.entries {
			if err := copyFile(out, x.dir, part, filepath.FromSlash(file)); err != nil {
				return err
			}
			x.entries[file] = argument
		}
	}
	at := filepath.Join(x.dir, Name)
	if len(x.entries) == 0 && !isFile(at) {
		return nil
	}
	_, err := out.Write(at, x)
	return err
}

func copyFile(out *fleet.OutputFolder, dir, part, file string) error {
	from := filepath.Join(part, file)
	in, err := os.Open(from)
	if err != nil {
		return diag.Input(diag.Position{File: from}, fmt.Errorf("join parts: %w", files.Cause(err)), "")
	}
	defer in.Close()
	_, err = out.Write(filepath.Join(dir, file), in)
	return err
}
