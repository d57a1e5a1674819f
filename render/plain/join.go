package plain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

const (
	separator = "---\n"
	bom       = "\xef\xbb\xbf"

	// maxStream ends the reading of what never ends before it ends the machine; ten times the largest stream that
	// anybody is known to apply.
	maxStream = 1 << 30

	// firstPipe is what is reserved for a stream of unknown length. Memory that is never touched costs nothing, and
	// growing from a small buffer would copy a stream several times over.
	firstPipe = 32 << 20
)

// Piece is the part of a joined text that came from one file: text[Start:End], which begins with Separator. What
// joining changed is recorded, so that the file can be written back as it was.
type Piece struct {
	Name       string
	Start, End int
	Separator  string // what was put before the file; "" where it is alone
	Mark       bool   // a byte order mark was taken from its start
	Bare       bool   // a line end was added at its end
	// Added is where text begins and ends that was put between its values, which are JSON one after another; such a
	// file cannot be written back.
	Added [][2]int
}

// Restore returns the file's text of what became of the piece.
func (p Piece) Restore(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte(p.Separator))
	if p.Bare {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if p.Mark {
		text = append([]byte(bom), text...)
	}
	return text
}

// join collects files in one text. Each is read straight into its place, so that the stream exists once in memory.
type join struct {
	system  files.System
	text    []byte
	origins []render.Origin
	pieces  []Piece
	single  bool // one file, taken as it is
}

// reserve allocates space for the files, as far as their sizes are known beforehand.
func (j *join) reserve(names []string) {
	total := 0
	for _, name := range names {
		if info, err := j.system.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() < maxStream {
			total += int(info.Size()) + len(separator) + len("\n")
		}
	}
	if total > 0 {
		j.text = make([]byte, 0, total+bytes.MinRead)
	}
}

func (j *join) file(name string) error {
	f, err := files.Open(j.system, name)
	if err != nil {
		return unreadable(name, err)
	}
	defer func() { _ = f.Close() }() // it was only read from
	return j.stream(name, f)
}

func (j *join) stream(name string, r io.Reader) error {
	p := Piece{Name: name, Start: len(j.text)}
	if !j.single {
		p.Separator = separator
	}
	text, err := readAll(append(j.text, p.Separator...), r)
	if err != nil {
		return unreadable(name, err)
	}
	body := p.Start + len(p.Separator)
	if !j.single {
		text, p = tidy(text, p)
		body = p.Start + len(p.Separator)
	}
	j.origins = append(j.origins, render.Origin{Offset: body, File: name, Line: 1})
	if starts := jsonValues(text[body:]); len(starts) > 0 {
		text, p.Added = j.divide(text, body, starts)
	}
	p.End = len(text)
	j.text, j.pieces = text, append(j.pieces, p)
	return nil
}

// tidy makes the last part of text fit between others: a byte order mark belongs at the start of a stream only, and
// what follows must begin a line. A file that begins with a directive (%YAML 1.2) brings its own "---", and the
// document before it must have been closed.
func tidy(text []byte, p Piece) ([]byte, Piece) {
	body := p.Start + len(p.Separator)
	if bytes.HasPrefix(text[body:], []byte(bom)) {
		text, p.Mark = slices.Delete(text, body, body+len(bom)), true
	}
	if bytes.HasPrefix(text[body:], []byte("%")) {
		if p.Separator = "...\n"; p.Start == 0 {
			text, p.Separator = text[body:], ""
		}
		copy(text[p.Start:], p.Separator)
	}
	if n := len(text); n > p.Start+len(p.Separator) && text[n-1] != '\n' {
		text, p.Bare = append(text, '\n'), true
	}
	return text, p
}

// divide puts a separator before each of the values that begin at starts, counted from the offset body, and returns
// where it put something. Each value is an origin of its own, in the file of the last one.
func (j *join) divide(text []byte, body int, starts []int) (divided []byte, added [][2]int) {
	file := j.origins[len(j.origins)-1].File
	values := bytes.Clone(text[body:])
	text = append(text[:body], values[:starts[0]]...)
	for i, from := range starts {
		to := len(values)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		begin := len(text)
		if text[begin-1] != '\n' {
			text = append(text, '\n')
		}
		text = append(text, separator...)
		added = append(added, [2]int{begin, len(text)})
		line := 1 + bytes.Count(values[:from], []byte("\n"))
		j.origins = append(j.origins, render.Origin{Offset: len(text), File: file, Line: line})
		text = append(text, values[from:to]...)
	}
	return text, added
}

// readAll appends all of r to buf. The size of a regular file is asked for first, so that the buffer need not grow.
func readAll(buf []byte, r io.Reader) ([]byte, error) {
	before := len(buf)
	buf = grow(buf, expectedSize(r))
	for {
		if len(buf) == cap(buf) {
			buf = grow(buf, len(buf))
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

// grow allocates space for n more bytes. Other than slices.Grow it does not clear what it adds, which would turn memory
// that is reserved into memory that is used.
func grow(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= n {
		return buf
	}
	larger := make([]byte, len(buf), len(buf)+n)
	copy(larger, buf)
	return larger
}

func expectedSize(r io.Reader) int {
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
