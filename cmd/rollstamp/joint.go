package main

import (
	"bytes"
	"io"
)

// joint is a writer that sees to it that each fresh part begins a document.
type joint struct {
	w     io.Writer
	n     int64
	last  byte // that was written
	fresh bool // the next write begins a part
}

func (j *joint) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if j.fresh {
		if err := j.begin(b); err != nil {
			return 0, err
		}
	}
	n, err := j.w.Write(b)
	j.n += int64(n)
	j.last = b[len(b)-1]
	return n, err
}

func (j *joint) begin(b []byte) error {
	j.fresh = false
	var between []byte
	if j.last != '\n' {
		between = append(between, '\n')
	}
	if j.n > 0 && !bytes.HasPrefix(b, []byte("---")) {
		between = append(between, "---\n"...)
	}
	n, err := j.w.Write(between)
	j.n += int64(n)
	return err
}
