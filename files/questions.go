package files

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// Questions are what a system is asked, in order. Asked again, they show whether a system would answer as before.
type Questions []Question

// Questions returns what was asked.
func (r Record) Questions() Questions {
	out := make(Questions, len(r))
	for i, a := range r {
		out[i] = a.Question
	}
	return out
}

// Digest returns the digest of all questions and answers.
func (r Record) Digest() Digest {
	return digestOf(r.Questions(), func(i int) Digest { return r[i].Digest })
}

// Ask returns the digest of all questions with a system's answers: that of the Record of the same answers.
func (qs Questions) Ask(system System) Digest {
	return digestOf(qs, func(i int) Digest { return qs[i].Ask(system) })
}

// Record returns the questions with a system's answers.
func (qs Questions) Record(system System) Record {
	out := make(Record, len(qs))
	for i, q := range qs {
		out[i] = Answer{Question: q, Digest: q.Ask(system)}
	}
	return out
}

func digestOf(qs Questions, answer func(i int) Digest) (d Digest) {
	h := sha256.New()
	for i, q := range qs {
		a := answer(i)
		head := binary.AppendUvarint([]byte{byte(q.Method)}, uint64(len(q.Path)))
		h.Write(head)
		h.Write([]byte(q.Path))
		h.Write(a[:])
	}
	h.Sum(d[:0])
	return d
}

// Append appends the questions to a buffer, each path without what it shares with the one before.
func (qs Questions) Append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(len(qs)))
	before := ""
	for _, q := range qs {
		to = append(to, byte(q.Method))
		to = appendPath(to, before, q.Path)
		before = q.Path
	}
	return to
}

func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// errQuestions is that bytes are none that Append writes.
var errQuestions = errors.New("read questions: not in their format")

// ParseQuestions reads what Append wrote, and returns what follows it.
func ParseQuestions(from []byte) (qs Questions, rest []byte, err error) {
	count, from, ok := uvarint(from)
	if !ok || count > uint64(len(from)) { // each takes more than a byte
		return nil, nil, errQuestions
	}
	qs = make(Questions, 0, count)
	before := ""
	for range count {
		if len(from) == 0 || Method(from[0]) > Resolving {
			return nil, nil, errQuestions
		}
		q := Question{Method: Method(from[0])}
		if q.Path, from, ok = parsePath(from[1:], before); !ok {
			return nil, nil, errQuestions
		}
		qs, before = append(qs, q), q.Path
	}
	return qs, from, nil
}

func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}
