package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// lockFile is a lock, before and after.
type lockFile struct {
	path     string
	old, now *lock.File
	own      bool            // an application that was named lies in its folder: nobody else uses it
	used     map[string]bool // names that the applications have
}

// lockFiles finds the lock of each application.
func lockFiles(apps []*locking) ([]*lockFile, error) {
	var all []*lockFile
	for _, a := range apps {
		at := a.job.settings.Place()
		old, err := openLock(at)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(at.Dir, lock.FileName)
		if old == nil {
			old = &lock.File{}
		} else {
			path = old.Path()
		}
		i := slices.IndexFunc(all, func(f *lockFile) bool { return f.path == path })
		if i < 0 {
			i = len(all)
			all = append(all, &lockFile{path: path, old: old, now: old.Clone(), used: map[string]bool{}})
		}
		a.file = all[i]
		a.file.own = a.file.own || filepath.Dir(path) == at.Dir
	}
	return all, nil
}

// writeLocks writes what changed, and tells it.
func (p *program) writeLocks(all []*lockFile) error {
	var out bytes.Buffer
	for _, f := range all {
		if f.now.Len() == 0 && f.old.Path() == "" {
			continue // nothing is outside of Git
		}
		changed, err := pipeline.WriteFile(f.path, f.now)
		if err != nil {
			return err
		}
		if changed {
			p.say("%s is written", f.path)
		}
		f.tell(&out)
	}
	return p.emit(&out)
}

// rekeyed tells that every digest of a value differs, as with another hash key. Digests do not say which key they were made with; that
// one value has changed is nothing unusual.
func (f *lockFile) rekeyed() (found []diag.Finding) {
	both, first := 0, ""
	for _, name := range f.old.Names() {
		was, is := f.old.Digest(name), f.now.Digest(name)
		switch {
		case was == "" || is == "":
		case was == is:
			return nil
		default:
			if both++; both == 1 {
				first = name
			}
		}
	}
	if both < 2 {
		return nil
	}
	other := diag.New(diag.OtherHashKey, "", fmt.Sprintf("each of the %d digests of values differs from the lock's", both))
	return []diag.Finding{other.At(f.old.Position(first))}
}

// tell prints each line that differs.
func (f *lockFile) tell(out *bytes.Buffer) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(f.old.Names(), f.now.Names()...)))) {
		was, is := f.old.Text(name), f.now.Text(name)
		switch {
		case was == is:
		case was == "":
			fmt.Fprintf(out, "%s: + %s %s\n", shown(f.path), name, is)
		case is == "":
			fmt.Fprintf(out, "%s: - %s %s\n", shown(f.path), name, was)
		default:
			fmt.Fprintf(out, "%s: %s %s -> %s\n", shown(f.path), name, was, is)
		}
	}
}

// shown gives a path as it is from the working folder, where it lies in that.
func shown(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	if rel, ok := files.Rel(here, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// checkLocks tells what is behind, and what would restart if it were not.
func (p *program) checkLocks(ctx context.Context, all []*lockFile, apps []*locking) error {
	var out bytes.Buffer
	for _, f := range all {
		f.tell(&out)
	}
	if out.Len() == 0 {
		return nil
	}
	p.exit = diag.ExitFindings
	sides := [2]diff.Side{{Label: lock.FileName}, {Label: "stores"}}
	for i := range sides {
		for _, a := range apps {
			file := []*lock.File{a.file.old, a.file.now}[i]
			result, err := a.plan(ctx, asker(func(refs []sources.Ref) []sources.Answer {
				answers := make([]sources.Answer, len(refs))
				for k, ref := range refs {
					answers[k], _, _ = file.Get(ref)
				}
				return answers
			}))
			if err != nil {
				return err
			}
			sides[i].Apps = append(sides[i].Apps, diff.App{Name: a.path, Result: result})
		}
	}
	c, err := diff.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	for _, r := range c.Restarts {
		fmt.Fprintf(&out, "restarts %s\n", strings.TrimSpace(r.Name.String()))
	}
	return p.emit(&out)
}
