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
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/remote"
	"github.com/rollstamp/rollstamp/sources/stores/aws"
	"github.com/rollstamp/rollstamp/sources/stores/azure"
	"github.com/rollstamp/rollstamp/sources/stores/gcp"
)

func serveLogin(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	defer fault.Catch(&err)
	silence()
	hideFromHelpers()
	return remote.ServeLogin(ctx, in, out, config.Release(release), remote.Logins{Helper: helper, Cloud: cloud})
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

// clouds are what knows this machine's identity for registries, by the names that Flux has for them.
var clouds = map[config.RegistryProvider]func(ctx context.Context, host string) (auth.Credential, error){
	config.RegistryAWS: aws.RegistryLogin, config.RegistryAzure: azure.RegistryLogin,
	config.RegistryGCP: gcp.RegistryLogin,
}

// cloud asks a cloud for its credentials for a registry. Of what it says nothing is passed on but its kind.
func cloud(ctx context.Context, name, host string) (auth.Credential, error) {
	found, err := clouds[config.RegistryProvider(name)](ctx, host)
	if f := (*sources.Failure)(nil); errors.As(err, &f) {
		d := *f.Diag()
		d.Err = fmt.Errorf("ask %s for a login: %w", name, f)
		if f.Class == sources.Refused && f.Next == "" {
			d.Exit, d.Hint = diag.ExitUsage, "Name a registry of that cloud, or leave --provider out."
		}
		return auth.EmptyCredential, &d
	}
	return found, err
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
