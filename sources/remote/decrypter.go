package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// OpenArgument makes the program decrypt documents and files instead of asking stores.
const OpenArgument = "open"

// Decrypter decrypts documents and files by running Name once, with OpenArgument, for all of a run: a line of hello,
// the rule, then a document and its values in turn. Values pass between the two through memory only. It may be used
// by several goroutines.
type Decrypter struct {
	Path    string // as Program's
	Release string
	Rule    config.SOPSRule
	Run     context.Context //nolint:containedctx // the program lives until it ends, over all calls

	Children *Children // as Program's

	mu     sync.Mutex
	failed error // the program could not be started, or is gone
	enc    *json.Encoder
	dec    *json.Decoder
}

var (
	_ sources.Decrypter     = (*Decrypter)(nil)
	_ sources.FileDecrypter = (*Decrypter)(nil)
)

// question is a document, or a file.
type question struct {
	Namespace string `json:"namespace,omitempty"`
	Doc       []byte `json:"doc"`

	From      sources.FileFormat `json:"from,omitempty"` // of a file; "" is a document
	To        sources.FileFormat `json:"to,omitempty"`
	Rewritten bool               `json:"rewritten,omitempty"`
}

// wholeFile is the key that the content of a file has among the values.
const wholeFile = ""

// opened are the values of a document; without any, and without an issue, it is not encrypted.
type opened struct {
	Encrypted bool              `json:"encrypted"`
	Values    map[string][]byte `json:"values,omitempty"`
	Issue     *issue            `json:"trouble,omitempty"`
	Object    string            `json:"object,omitempty"` // of the issue
}

// Decrypt returns the values of a document.
func (o *Decrypter) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	return o.ask(ctx, question{Namespace: namespace, Doc: doc})
}

// DecryptFile returns the content of a file.
func (o *Decrypter) DecryptFile(ctx context.Context, file sources.EncryptedFile) (redact.Secret, error) {
	values, err := o.ask(ctx, question{Doc: file.Text, From: file.From, To: file.To, Rewritten: file.Rewritten})
	return values[wholeFile], err
}

func (o *Decrypter) ask(ctx context.Context, q question) (map[string]redact.Secret, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.enc == nil && o.failed == nil {
		o.failed = o.start()
	}
	if o.failed != nil {
		return nil, o.failed
	}
	if err := errors.Join(o.Run.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	var answer opened
	if o.enc.Encode(q) != nil || o.dec.Decode(&answer) != nil {
		if err := o.Run.Err(); err != nil {
			return nil, err
		}
		o.failed = &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("run %s: it ended without an answer", Name),
			Hint: installHint}
		return nil, o.failed
	}
	switch {
	case answer.Issue != nil:
		err := answer.Issue.said()
		err.Object = answer.Object
		return nil, err
	case !answer.Encrypted:
		return nil, nil
	}
	values := map[string]redact.Secret{}
	for key, value := range answer.Values {
		values[key] = redact.New(value)
	}
	return values, nil
}

// start runs the program until Run ends. What it says on standard error is dropped, as Program's.
func (o *Decrypter) start() error {
	path, err := Program{Path: o.Path}.path()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(o.Run, path, OpenArgument)
	cmd.Env = environment(cmd)
	cmd.WaitDelay = toEnd
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(path, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fail(path, err)
	}
	ended := o.Children.begin()
	if err := cmd.Start(); err != nil {
		ended()
		return wrongProgram(path, err)
	}
	context.AfterFunc(o.Run, func() {
		defer ended()
		_ = cmd.Wait()
	})
	hello := time.AfterFunc(helloWithin, func() { _ = cmd.Process.Kill() })
	defer hello.Stop()
	return o.greet(path, in, out)
}

// greet hears the hello and sends the rule.
func (o *Decrypter) greet(path string, in io.Writer, out io.Reader) error {
	reader := bufio.NewReaderSize(out, maxHello)
	line, err := reader.ReadSlice('\n')
	if err := foreign(path, line, err, o.Release); err != nil {
		return err
	}
	o.enc, o.dec = json.NewEncoder(in), json.NewDecoder(reader)
	if err := o.enc.Encode(o.Rule); err != nil {
		return fail(path, errors.New("it does not listen"))
	}
	return nil
}

// ServeDecrypting is the other side: it says hello, takes the rule and decrypts documents and files until there are
// no more. An error is one of the streams.
func ServeDecrypting(ctx context.Context, in io.Reader, out io.Writer, release string,
	open func(config.SOPSRule) (sources.Decrypter, error)) error {
	enc, dec := json.NewEncoder(out), json.NewDecoder(bufio.NewReader(in))
	var rule config.SOPSRule
	if isAsked, err := greet(enc, dec, release, &rule); err != nil || !isAsked {
		return err
	}
	decrypter, broken := open(rule)
	for {
		var q question
		switch err := dec.Decode(&q); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errors.New("read document: not understood")
		}
		answer := opened{}
		err := broken
		if err == nil {
			answer, err = decryptOne(ctx, decrypter, q)
		}
		if err != nil {
			object, issue := issueApart(err)
			answer = opened{Object: object, Issue: &issue}
		}
		if err := enc.Encode(answer); err != nil {
			return errors.New("write answer: nobody listens")
		}
	}
}

func decryptOne(ctx context.Context, o sources.Decrypter, q question) (answer opened, err error) {
	defer fault.Catch(&err)
	if q.From != "" {
		return decryptFile(ctx, o, q)
	}
	values, err := o.Decrypt(ctx, q.Namespace, q.Doc)
	if err != nil || values == nil {
		return opened{}, err
	}
	answer = opened{Encrypted: true, Values: map[string][]byte{}}
	for key, value := range values {
		answer.Values[key] = value.Reveal()
	}
	return answer, nil
}

// decryptFile answers a question about a file.
func decryptFile(ctx context.Context, o sources.Decrypter, q question) (opened, error) {
	of, is := o.(sources.FileDecrypter)
	if !is {
		return opened{}, errors.ErrUnsupported
	}
	content, err := of.DecryptFile(ctx, sources.EncryptedFile{Text: q.Doc, From: q.From, To: q.To, Rewritten: q.Rewritten})
	if err != nil {
		return opened{}, err
	}
	return opened{Encrypted: true, Values: map[string][]byte{wholeFile: content.Reveal()}}, nil
}

// issueApart returns the object of an error of ours, and what is said of it; of any other nothing but that there is
// one.
func issueApart(err error) (object string, of issue) {
	var d *diag.Error
	if !errors.As(err, &d) {
		return "", unclassed()
	}
	return d.Object, issueSaying((&diag.Error{Err: d.Err}).Error(), err)
}
