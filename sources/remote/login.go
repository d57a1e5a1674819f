package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/login"
)

// LoginArgument makes the program ask a credential helper instead of stores.
const LoginArgument = "login"

// helperWithin is how long a credential helper may take.
const helperWithin = time.Minute

// helped is a question to a credential helper.
type helped struct {
	Helper  string `json:"helper"`
	Address string `json:"address"`
}

// credential is what it answered: nothing at all is that it has nothing.
type credential struct {
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Refresh  string `json:"refresh,omitempty"`
	Access   string `json:"access,omitempty"`
	Issue    *issue `json:"trouble,omitempty"`
}

// Credential asks a credential helper by running Name, with LoginArgument: whatever starts programs of clouds is there.
// It is a login.Helper.
func (p Program) Credential(ctx context.Context, helper, address string) (auth.Credential, error) {
	path, err := p.find()
	if err != nil {
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask docker-credential-%s: %w", helper, err), installHint)
	}
	var answer credential
	ctx, cancel := context.WithTimeoutCause(ctx, helperWithin, errSilent)
	defer cancel()
	err = p.exchange(ctx, path, []string{LoginArgument}, helped{helper, address}, &answer)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errSilent):
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask docker-credential-%s: %w", helper, errSilent),
			"Does it wait for somebody to type something? Try 'echo "+address+" | docker-credential-"+helper+" get'.")
	case err != nil:
		return auth.EmptyCredential, err
	case answer.Issue != nil:
		t := answer.Issue
		return auth.EmptyCredential, &diag.Error{Exit: t.Exit, Err: errors.New(t.Text), Hint: t.Next}
	}
	return auth.Credential{Username: answer.User, Password: answer.Password, RefreshToken: answer.Refresh,
		AccessToken: answer.Access}, nil
}

var errSilent = errors.New("it did not answer within a minute")

// ServeLogin is the other side: it says hello, takes a question and answers it with what ask returns. An error is one
// of the streams.
func ServeLogin(ctx context.Context, in io.Reader, out io.Writer, release string, ask login.Helper) error {
	enc := json.NewEncoder(out)
	if err := enc.Encode(Hello{Protocol, release}); err != nil {
		return fmt.Errorf("say hello: %w", err)
	}
	var q helped
	if err := json.NewDecoder(bufio.NewReader(in)).Decode(&q); errors.Is(err, io.EOF) {
		return nil // the caller wants another release
	} else if err != nil {
		return errors.New("read request: not understood")
	}
	if err := enc.Encode(credentialOf(ctx, q, ask)); err != nil {
		return errors.New("write answer: nobody listens")
	}
	return nil
}

func credentialOf(ctx context.Context, q helped, ask login.Helper) credential {
	found, err := func() (found auth.Credential, err error) {
		defer fault.Catch(&err)
		return ask(ctx, q.Helper, q.Address)
	}()
	if err != nil {
		return credential{Issue: withIssue(err).Issue}
	}
	return credential{User: found.Username, Password: found.Password, Refresh: found.RefreshToken,
		Access: found.AccessToken}
}
