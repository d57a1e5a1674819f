// Package remote asks stores through another program, rollstamp-stores, so that the libraries of clouds are no part of
// the one that everybody starts. What passes between the two is private to one release: a line of hello, one question,
// one answer, each in JSON.
package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/sources"
)

// Protocol is the version of what passes between the programs.
const Protocol = 1

// Hello is what the program that asks says first. Nothing is sent to one of another release.
type Hello struct {
	Protocol int    `json:"protocol"`
	Release  string `json:"release"`
}

// Request is what is to be asked, with all that the operator allows. Key is the lent key of stores' values, no hash
// key.
type Request struct {
	Key    []byte             `json:"key,omitempty"`
	Values bool               `json:"values,omitempty"`
	Rules  []config.StoreRule `json:"rules,omitempty"`
	// Deadline is when stores are not waited for any more; zero leaves it to the resolver.
	Deadline time.Time     `json:"deadline,omitzero"`
	Refs     []sources.Ref `json:"refs"`
}

// answer is a sources.Answer without a value: none ever passes.
type answer struct {
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// issue is one error: a sources.Failure, or another with its words, which are ours.
type issue struct {
	Class  sources.Class `json:"class,omitempty"`
	Ref    int           `json:"ref"` // index into the request's
	Status string        `json:"status,omitempty"`
	Next   string        `json:"next,omitempty"`
	Text   string        `json:"text,omitempty"`
	Exit   diag.Exit     `json:"exit,omitempty"`
}

type response struct {
	Answers []answer `json:"answers,omitempty"`
	Issues  []issue  `json:"troubles,omitempty"`
}

// Serve says hello, takes a request and answers it, with what open returns for it. An error is one of the streams.
func Serve(ctx context.Context, in io.Reader, out io.Writer, release string,
	open func(Request) (sources.VersionResolver, error)) error {
	enc := json.NewEncoder(out)
	var req Request
	if isAsked, err := greet(enc, json.NewDecoder(bufio.NewReader(in)), release, &req); err != nil || !isAsked {
		return err
	}
	answers, err := resolve(ctx, req, open)
	var r response
	for _, a := range answers {
		r.Answers = append(r.Answers, answer{a.Version, a.Digest})
	}
	if err != nil {
		r.Issues = issues(err, req.Refs)
	}
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// greet says hello and takes the first question; false where the caller wants another release, and asks nothing.
func greet(enc *json.Encoder, dec *json.Decoder, release string, question any) (isAsked bool, err error) {
	if err := enc.Encode(Hello{Protocol, release}); err != nil {
		return false, fmt.Errorf("say hello: %w", err)
	}
	if err := dec.Decode(question); errors.Is(err, io.EOF) {
		return false, nil
	} else if err != nil {
		return false, errors.New("read request: not understood") // the error would quote it
	}
	return true, nil
}

func resolve(ctx context.Context, req Request,
	open func(Request) (sources.VersionResolver, error)) (answers []sources.Answer, err error) {
	defer fault.Catch(&err)
	resolver, err := open(req)
	if err != nil {
		return nil, err
	}
	answers, _, err = resolver.Resolve(ctx, req.Refs) // a response carries no findings: stores report none
	return answers, err
}

// issues returns the parts of joined errors. Of one that is neither a failure nor ours nothing is reported except
// that it was there.
func issues(err error, refs []sources.Ref) (out []issue) {
	for _, one := range diag.Unjoin(err) {
		out = append(out, issueOf(one, refs))
	}
	return out
}

func issueOf(err error, refs []sources.Ref) issue {
	var f *sources.Failure
	var d *diag.Error
	switch {
	case errors.As(err, &f):
		t := issue{Class: f.Class, Status: f.Status, Next: f.Next, Ref: -1}
		for i, ref := range refs {
			if ref.ID() == f.Ref.ID() {
				t.Ref = i
				break
			}
		}
		return t
	case errors.As(err, &d):
		return issueSaying(d.Error(), err)
	}
	return unclassed()
}

// issueSaying returns an issue with an error's next step and exit code.
func issueSaying(text string, err error) issue {
	return issue{Text: text, Next: diag.HintOf(err), Exit: diag.ExitOf(err)}
}

// unclassed stands for an error that is neither a failure nor ours: its words may be anybody's.
func unclassed() issue { return issue{Text: "an error without a class", Exit: diag.ExitInternal} }

// said returns the error that an issue with words was.
func (t issue) said() *diag.Error {
	return &diag.Error{Exit: t.Exit, Err: errors.New(t.Text), Hint: t.Next}
}

// join makes errors of issues.
func join(all []issue, refs []sources.Ref) error {
	var errs []error
	for _, t := range all {
		if t.Class == "" {
			errs = append(errs, t.said())
			continue
		}
		f := &sources.Failure{Class: t.Class, Status: t.Status, Next: t.Next}
		if t.Ref >= 0 && t.Ref < len(refs) {
			f.Ref = refs[t.Ref]
		}
		errs = append(errs, f.Diag())
	}
	return errors.Join(errs...)
}
