package fleet

import (
	"bytes"
	"io"
)

// Sequence writes the manifests of several outcomes as one stream of documents.
type Sequence []Outcome

// WriteTo writes the results one after another, with a separator where there is none.
func (s Sequence) WriteTo(w io.Writer) (int64, error) {
	if len(s) == 1 {
		return s[0].Result.WriteTo(w)
	}
	j := &joint{w: w, last: '\n'}
	for _, o := range s {
		j.fresh = true
		if _, err := o.Result.WriteTo(j); err != nil {
			return j.n, err
		}
	}
	return j.n, nil
}

// joint is a writer that begins each fresh part with a document of its own.
type joint struct {
	w     io.Writer
	n     int64
	last  byte // that was written
	fresh bool // the next write begins a part
}

// Write is io.Writer's.
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
