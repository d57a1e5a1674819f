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

// LoginArgument makes the program ask a credential helper, or a cloud for a registry, instead of stores.
const LoginArgument = "login"

// helperWithin is how long a credential helper or a cloud may take.
const helperWithin = time.Minute

// asked is a question to a credential helper, or to a cloud.
type asked struct {
	Helper  string `json:"helper,omitempty"`
	Cloud   string `json:"cloud,omitempty"`
	Address string `json:"address"`
}

// String names who is asked.
func (a asked) String() string {
	if a.Cloud != "" {
		return a.Cloud
	}
	return "docker-credential-" + a.Helper
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
	return p.login(ctx, asked{Helper: helper, Address: address},
		"Does it wait for somebody to type something? Try 'echo "+address+" | docker-credential-"+helper+" get'.")
}

// CloudLogin asks a cloud what this machine's identity is for a registry of it, in the same way.
func (p Program) CloudLogin(ctx context.Context, cloud, host string) (auth.Credential, error) {
	return p.login(ctx, asked{Cloud: cloud, Address: host}, "Is the service that has this machine's identity up?")
}

// login asks; silent is the next step where no answer comes.
func (p Program) login(ctx context.Context, q asked, silent string) (auth.Credential, error) {
	path, err := p.find()
	if err != nil {
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask %s: %w", q, err), installHint)
	}
	var answer credential
	ctx, cancel := context.WithTimeoutCause(ctx, helperWithin, errSilent)
	defer cancel()
	err = p.exchange(ctx, path, []string{LoginArgument}, q, &answer)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errSilent):
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask %s: %w", q, errSilent), silent)
	case err != nil:
		return auth.EmptyCredential, err
	case answer.Issue != nil:
		return auth.EmptyCredential, answer.Issue.said()
	}
	return auth.Credential{Username: answer.User, Password: answer.Password, RefreshToken: answer.Refresh,
		AccessToken: answer.Access}, nil
}

var errSilent = errors.New("it did not answer within a minute")

// Logins are what answers the questions of ServeLogin: credential helpers, and clouds by their names.
type Logins struct{ Helper, Cloud login.Helper }

// ServeLogin is the other side: it says hello, takes a question and answers it. An error is one of the streams.
func ServeLogin(ctx context.Context, in io.Reader, out io.Writer, release string, logins Logins) error {
	enc := json.NewEncoder(out)
	var q asked
	if isAsked, err := greet(enc, json.NewDecoder(bufio.NewReader(in)), release, &q); err != nil || !isAsked {
		return err
	}
	if err := enc.Encode(credentialOf(ctx, q, logins)); err != nil {
		return errors.New("write answer: nobody listens")
	}
	return nil
}

func credentialOf(ctx context.Context, q asked, logins Logins) credential {
	found, err := func() (found auth.Credential, err error) {
		defer fault.Catch(&err)
		if q.Cloud != "" {
			return logins.Cloud(ctx, q.Cloud, q.Address)
		}
		return logins.Helper(ctx, q.Helper, q.Address)
	}()
	if err != nil {
		_, issue := issueApart(err)
		return credential{Issue: &issue}
	}
	return credential{User: found.Username, Password: found.Password, Refresh: found.RefreshToken,
		Access: found.AccessToken}
}
