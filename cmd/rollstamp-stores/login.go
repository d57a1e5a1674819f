package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/sources/remote"
)

func serveLogin(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	defer fault.Catch(&err)
	silence()
	hideFromHelpers()
	return remote.ServeLogin(ctx, in, out, config.Release(release), helper)
}

// hideFromHelpers takes the secrets that are ours alone out of the environment, which the helper inherits. Those of
// clouds are what it is asked for.
func hideFromHelpers() {
	for _, v := range config.Vars() {
		if v.Sensitive && !v.Indirect {
			_ = os.Unsetenv(v.Name) // a name of ours can be none that is wrong
		}
	}
}

// helper asks a credential helper. What it says about a failure may hold what it keeps.
func helper(ctx context.Context, name, address string) (auth.Credential, error) {
	found, err := credentials.NewNativeStore(name).Get(ctx, address)
	program := "docker-credential-" + name
	if missing := (*exec.Error)(nil); errors.As(err, &missing) {
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask %s: it is not in PATH", program),
			"Install it, or take it out of the file of credentials that names it.")
	}
	if err != nil {
		return auth.EmptyCredential, diag.Usage(fmt.Errorf("ask %s: %w", program, login.ErrUnreadable),
			"Try 'echo "+address+" | "+program+" get'.")
	}
	return found, nil
}
