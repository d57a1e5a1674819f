package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// copyBoth replaces both binaries of ours by copies. A program that was just linked is cached by the kernel in larger
// pieces than a copy, and more of it is counted as resident: some 4 MiB.
func (b *bench) copyBoth() (err error) {
	if b.ours, err = copyProgram(b.ours, b.path("recent-rollstamp")); err != nil {
		return err
	}
	b.before, err = copyProgram(b.before, b.path("older-rollstamp"))
	return err
}

func copyProgram(from, to string) (string, error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return to, errors.Join(err, out.Close())
}

// forOlder is the folder of what an older binary reads in another form.
const forOlder = "older"

// sinceBefore returns the row that runs an older binary of ours beside this one, on the same inputs; false where ours
// takes no part in the row.
func (b *bench) sinceBefore(w work) (work, bool) {
	older := slices.Clone(w.ours)
	found := false
	for i, c := range older {
		older[i].argv = slices.Clone(c.argv)
		if c.argv[0] == b.ours {
			older[i].argv[0], found = b.before, true
			if dir := filepath.Join(c.dir, forOlder); c.dir != "" && isDir(dir) {
				older[i].dir = dir
			}
		}
	}
	recent := w.ours
	w.theirs, w.against, w.idle = older, "the binary from before", nil
	w.claims = []claim{cpuClaim(goal{}), memoryClaim(goal{})}
	w.check = func(ctx context.Context) (string, error) {
		one, two := b.printing(older, "older"), b.printing(recent, "recent")
		if _, err := slices.Concat(one, two).run(ctx); err != nil {
			return "", err
		}
		for i := range one {
			if err := equalFiles(one[i].stdout, two[i].stdout); err != nil {
				return "", err
			}
		}
		return "equal bytes", nil
	}
	return w, found
}

// printing returns the side with what each command prints in a file of its own.
func (b *bench) printing(s side, name string) side {
	s = slices.Clone(s)
	for i := range s {
		s[i].stdout = b.path(name + string(rune('a'+i)))
	}
	return s
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
