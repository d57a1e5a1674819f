package lock

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/rollstamp/rollstamp/diag"
)

// Write writes the lock with what has changed in it. Another run may have written it since it was read: what that has
// changed stays. The folder dir holds what keeps two runs apart that write at once; write writes a file whole.
func (u *Update) Write(
	ctx context.Context, dir string, write func(path string, content io.WriterTo) (changed bool, err error),
) (changed bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, u.unwritable(err)
	}
	guard := flock.New(filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(u.path)))))
	if _, err := guard.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return false, u.unwritable(err)
	}
	defer func() { _ = guard.Unlock() }() // the process's end does it, too
	now, err := u.onto()
	if err != nil {
		return false, err
	}
	return write(u.path, now)
}

func (u *Update) unwritable(err error) error {
	return diag.Input(diag.Position{File: u.path}, fmt.Errorf("write lock: %w", err),
		"What keeps two runs apart lies in the folder for caches, which has to be writable: see --cache-dir.")
}

// onto returns the lock as it is in the file now, with what this update has changed.
func (u *Update) onto() (*File, error) {
	text, err := read(u.path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return u.now, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := parse(u.path, text, true)
	if err != nil {
		return nil, err
	}
	there := now.Clone()
	if now.level == 0 || u.now.level != u.old.level {
		now.level = u.now.level
	}
	for _, name := range append(u.old.Names(), u.now.Names()...) {
		was, had := u.old.entries[name]
		e, has := u.now.entries[name]
		was.line, e.line = 0, 0 // where it stands is no change; with which key a digest was made is one
		switch {
		case has && (!had || was != e):
			now.put(e)
		case had && !has:
			now.drop(name)
		}
	}
	for name := range now.unresolved { // what this update has asked for, and found as it was
		if e, ok := u.now.entries[name]; ok && u.now.unresolved[name] == 0 {
			now.put(e)
		}
	}
	return now, (&Update{old: there, now: now, used: u.used}).Err()
}
