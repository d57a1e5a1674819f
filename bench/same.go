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

// lines reads a text line by line.
type lines struct {
	r    *bufio.Reader
	line string // "" at the end: a line has at least its line feed
	n    int
}

func newLines(r io.Reader) (*lines, error) {
	l := &lines{r: bufio.NewReader(r)}
	return l, l.step()
}

func (l *lines) step() (err error) {
	l.n++
	if l.line, err = l.r.ReadString('\n'); errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// equal compares two texts.
func equal(a, b io.Reader) error {
	x, errA := newLines(a)
	y, errB := newLines(b)
	err := errors.Join(errA, errB)
	for err == nil && x.line == y.line {
		if x.line == "" {
			return nil
		}
		err = errors.Join(x.step(), y.step())
	}
	if err == nil {
		err = fmt.Errorf("line %d is %q and %q", x.n, x.line, y.line)
	}
	return err
}

// equalFiles compares two files.
func equalFiles(a, b string) error {
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
	if err := equal(x, y); err != nil {
		return fmt.Errorf("%s and %s differ: %w", filepath.Base(a), filepath.Base(b), err)
	}
	return nil
}

// equalFolders compares all the files of two folders.
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
		return equalFiles(path, filepath.Join(b, rel))
	})
	if err == nil && count == 0 {
		err = fmt.Errorf("%s holds no file", a)
	}
	return err
}

// countStamps counts the stamps in a file: a check of an output without any would prove little.
func countStamps(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	l, err := newLines(f)
	n := 0
	for ; err == nil && l.line != ""; err = l.step() {
		n += strings.Count(l.line, stampPrefix)
	}
	return n, err
}
