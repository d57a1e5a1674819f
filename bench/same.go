package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stampPrefix begins the keys of the annotations that stamping adds.
const stampPrefix = "checksum.rollstamp.dev/"

// lines reads a file line by line, one ahead.
type lines struct {
	r    *bufio.Reader
	line string // "" at the end: a line has at least its line feed
	next string
	n    int
}

func newLines(r io.Reader) (*lines, error) {
	l := &lines{r: bufio.NewReader(r)}
	if err := l.step(); err != nil {
		return nil, err
	}
	l.n = 0
	return l, l.step()
}

func (l *lines) step() error {
	l.line, l.n = l.next, l.n+1
	var err error
	l.next, err = l.r.ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// equal compares two texts line by line. Where stamped is set, lines of b that stamping may have added are left out: the stamps,
// and "annotations:" and "metadata:" above them where a does not have these.
func equal(a, b io.Reader, stamped bool) error {
	x, err := newLines(a)
	if err != nil {
		return err
	}
	y, err := newLines(b)
	if err != nil {
		return err
	}
	for x.line != "" || y.line != "" {
		switch {
		case stamped && isStamp(y.line):
			err = y.step()
		case x.line == y.line:
			err = errors.Join(x.step(), y.step())
		case stamped && y.opensStamps():
			err = y.step()
		default:
			return fmt.Errorf("line %d is %q, and line %d of ours %q", x.n, x.line, y.n, y.line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isStamp(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), stampPrefix) }

func (l *lines) opensStamps() bool {
	switch strings.TrimSpace(l.line) {
	case "annotations:":
		return isStamp(l.next)
	case "metadata:":
		return strings.TrimSpace(l.next) == "annotations:"
	}
	return false
}

// equalFiles compares two files as equal does.
func equalFiles(a, b string, stamped bool) error {
	x, err := os.Open(a)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := os.Open(b)
	if err != nil {
		return err
	}
	defer y.Close()
	if err := equal(x, y, stamped); err != nil {
		return fmt.Errorf("%s and %s differ: %w", filepath.Base(a), filepath.Base(b), err)
	}
	return nil
}

// equalFolders compares all the files of two folders, byte for byte.
func equalFolders(a, b string) error {
	count := 0
	err := filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		count++
		rel, err := filepath.Rel(a, path)
		if err != nil {
			return err
		}
		return equalFiles(path, filepath.Join(b, rel), false)
	})
	if err == nil && count == 0 {
		err = fmt.Errorf("%s holds no file", a)
	}
	return err
}

// countStamps counts the stamps in a file: a check over an output without any would prove nothing.
func countStamps(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	l, err := newLines(f)
	n := 0
	for ; err == nil && l.line != ""; err = l.step() {
		if isStamp(l.line) {
			n++
		}
	}
	return n, err
}
