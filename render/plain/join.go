package plain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rollstamp/rollstamp/render"
)

const (
	separator = "---\n"
	bom       = "\xef\xbb\xbf"

	// maxStream ends the reading of what never ends before it ends the machine; ten times the largest stream that
	// anybody is known to apply.
	maxStream = 1 << 30

	// firstPipe is what is set aside for a stream of unknown length. Memory that is never touched costs nothing, and
	// growing from a small buffer would copy a stream several times over.
	firstPipe = 32 << 20
)

// Piece is the part of a joined text that came from one file: text[Start:End]. What joining changed at its ends is kept,
// so that the file can be written back as it was.
type Piece struct {
	Name       string
	Start, End int
	Mark       bool // a byte order mark was taken from its start
	Bare       bool // a line end was added at its end
	Many       bool // separators were put between its values; it cannot be written back
}

// join collects files in one text. Each is read straight into its place, so that the stream exists once in memory.
type join struct {
	text    []byte
	origins []render.Origin
	pieces  []Piece
	single  bool // one file, taken as it is
}

// reserve makes room for the files, as far as their sizes are known beforehand.
func (j *join) reserve(names []string) {
	total := 0
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() < maxStream {
			total += int(info.Size()) + len(separator) + len("\n")
		}
	}
	if total > 0 {
		j.text = make([]byte, 0, total+bytes.MinRead)
	}
}

func (j *join) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return unreadable(name, err)
	}
	defer func() { _ = f.Close() }() // it was only read from
	return j.stream(name, f)
}

func (j *join) stream(name string, r io.Reader) error {
	if !j.single {
		j.text = append(j.text, separator...)
	}
	start := len(j.text)
	text, err := readAll(j.text, r)
	if err != nil {
		return unreadable(name, err)
	}
	if !j.single && bytes.HasPrefix(text[start:], []byte("%")) {
		text, start = beforeDirective(text, start)
	}
	p := Piece{Name: name, Start: start}
	if !j.single {
		text, p = tidy(text, p)
	}
	j.origins = append(j.origins, render.Origin{Offset: p.Start, File: name, Line: 1})
	if starts := jsonValues(text[p.Start:]); len(starts) > 0 {
		text = j.divide(text, p, starts)
		p.Many = true
	}
	p.End = len(text)
	j.text, j.pieces = text, append(j.pieces, p)
	return nil
}

// beforeDirective makes way for a file that begins with a directive (%YAML 1.2), which brings its own "---": what stands
// before it must have been closed.
func beforeDirective(text []byte, start int) ([]byte, int) {
	mark := start - len(separator)
	if mark == 0 {
		return text[start:], 0
	}
	copy(text[mark:], "...\n")
	return text, start
}

// divide puts a separator before each of the values that begin at starts, counted from p.Start.
func (j *join) divide(text []byte, p Piece, starts []int) []byte {
	values := bytes.Clone(text[p.Start:])
	text = append(text[:p.Start], values[:starts[0]]...)
	for i, from := range starts {
		to := len(values)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		if text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		text = append(text, separator...)
		line := 1 + bytes.Count(values[:from], []byte("\n"))
		j.origins = append(j.origins, render.Origin{Offset: len(text), File: p.Name, Line: line})
		text = append(text, values[from:to]...)
	}
	return text
}

// tidy makes the last part of text, which begins at p.Start, fit to stand between others: a byte order mark belongs at
// the start of a stream only, and what follows must begin a line.
func tidy(text []byte, p Piece) ([]byte, Piece) {
	if bytes.HasPrefix(text[p.Start:], []byte(bom)) {
		text, p.Mark = slices.Delete(text, p.Start, p.Start+len(bom)), true
	}
	if n := len(text); n > p.Start && text[n-1] != '\n' {
		text, p.Bare = append(text, '\n'), true
	}
	return text, p
}

// readAll appends all of r to buf. The size of a regular file is asked for first, so that the buffer need not grow.
func readAll(buf []byte, r io.Reader) ([]byte, error) {
	before := len(buf)
	buf = slices.Grow(buf, expected(r))
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, len(buf))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf)-before > maxStream:
			return nil, fmt.Errorf("longer than %d MiB", maxStream>>20)
		}
	}
}

func expected(r io.Reader) int {
	f, ok := r.(*os.File)
	if !ok {
		return bytes.MinRead
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return firstPipe
	}
	return int(min(info.Size(), maxStream)) + bytes.MinRead
}
