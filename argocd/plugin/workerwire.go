package plugin

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// What a worker does.
const (
	doPrepare  = "prepare"
	doRun      = "run" // what was prepared last
	doMatch    = "match"
	doAnnounce = "announce"
)

// workerCall is what a worker is sent. The files of the call it asks for, unless they were sent ahead.
type workerCall struct {
	Do  string
	Env map[string]string `json:",omitempty"`
	Dir string            `json:",omitempty"`

	ahead []byte // of files.AnswerAhead
}

// encode returns the length of the call's JSON, that, and what is sent ahead.
func (c workerCall) encode() ([]byte, error) {
	head, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode a call for a worker: %w", err)
	}
	return append(withLength(head, len(c.ahead)), c.ahead...), nil
}

// decodeCall reads what encode returns. What was sent ahead aliases b.
func decodeCall(b []byte) (c workerCall, err error) {
	head, rest, ok := cutLength(b)
	if !ok || json.Unmarshal(head, &c) != nil {
		return c, errors.New("a call for a worker is not understood") // the error would quote it
	}
	c.ahead = rest
	return c, nil
}

// withLength returns the length of a text, and that, with capacity for more.
func withLength(head []byte, more int) []byte {
	out := make([]byte, 0, binary.MaxVarintLen64+len(head)+more)
	return append(binary.AppendUvarint(out, uint64(len(head))), head...)
}

// cutLength returns the text whose length comes first, and what comes behind it.
func cutLength(b []byte) (head, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

// workerAnswer is what a worker returns. It is about the call that it was sent and nothing else.
type workerAnswer struct {
	Errors []workerError `json:",omitempty"`
	Log    []string      `json:",omitempty"` // what libraries had to say
	Used   []int         `json:",omitempty"` // of what was sent ahead

	Key   []byte   `json:",omitempty"` // of doPrepare
	Files []string `json:",omitempty"` // the operator's, as far as the worker knows them

	Kind     string         `json:",omitempty"` // of doRun
	Findings []diag.Finding `json:",omitempty"` // of doAnnounce, too
	Stamped  int            `json:",omitempty"`
	Reusable bool           `json:",omitempty"`
	Stored   bool           `json:",omitempty"`
	Sizes    []int          `json:",omitempty"` // of documents

	Is         bool                 `json:",omitempty"` // of doMatch
	Parameters []announce.Parameter `json:",omitempty"` // of doAnnounce

	documents [][]byte
}

// encode returns the length of the answer's JSON, that, and the documents.
func (a *workerAnswer) encode() ([]byte, error) {
	size := 0
	for _, d := range a.documents {
		a.Sizes = append(a.Sizes, len(d))
		size += len(d)
	}
	head, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode a worker's answer: %w", err)
	}
	out := withLength(head, size)
	for _, d := range a.documents {
		out = append(out, d...)
	}
	return out, nil
}

// errAnswer is the error of an answer that is none.
func errAnswer() error {
	return &diag.Error{Exit: diag.ExitInternal, Err: errors.New("a worker's answer is not understood")}
}

// decodeAnswer reads what encode returns. The documents alias b.
func decodeAnswer(b []byte) (*workerAnswer, error) {
	head, rest, ok := cutLength(b)
	var a workerAnswer
	if !ok || json.Unmarshal(head, &a) != nil {
		return nil, errAnswer()
	}
	for len(a.documents) < len(a.Sizes) {
		one := a.Sizes[len(a.documents)]
		if one < 0 || one > len(rest) {
			return nil, errAnswer()
		}
		a.documents = append(a.documents, rest[:one:one])
		rest = rest[one:]
	}
	return &a, nil
}

// workerError is one of the errors of a call.
type workerError struct {
	diag.Message
	Class string         `json:",omitempty"`
	Ended *workers.Ended `json:",omitempty"` // of a process that the worker had started; without its Err
}

// class is a kind of error that decides the code of the answer, besides the exit code.
type class struct {
	name string
	err  error
}

func classes() []class {
	return []class{{"deadline", context.DeadlineExceeded}, {"canceled", context.Canceled},
		{"too large", files.ErrTooLarge}}
}

// workerErrors returns the errors that are joined in one.
func workerErrors(err error) (out []workerError) {
	for _, one := range diag.Unjoin(err) {
		e := workerError{Message: diag.MessageOf(one)}
		for _, c := range classes() {
			if errors.Is(one, c.err) {
				e.Class = c.name
			}
		}
		var ended *workers.Ended
		if errors.As(one, &ended) {
			e.Ended = &workers.Ended{Cause: ended.Cause, After: ended.After, Limit: ended.Limit}
		}
		out = append(out, e)
	}
	return out
}

// failure returns the answer's errors as one, which has the words, hints and classes that it had in the worker.
func (a *workerAnswer) failure() error {
	var errs []error
	for _, e := range a.Errors {
		var cause error = classified{text: e.Text}
		for _, c := range classes() {
			if e.Class == c.name {
				cause = classified{e.Text, c.err}
			}
		}
		if e.Ended != nil && e.Class == "" {
			cause = classified{e.Text, e.Ended}
		}
		errs = append(errs, e.Err(cause))
	}
	return diag.Join(errs)
}

// classified is an error of a worker that is of a class, or of none.
type classified struct {
	text string
	is   error
}

func (c classified) Error() string { return c.text }

func (c classified) Unwrap() error { return c.is }
