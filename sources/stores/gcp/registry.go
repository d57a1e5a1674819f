package gcp

import (
	"context"
	"strings"

	"google.golang.org/api/option"
	"google.golang.org/api/transport"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/rollstamp/rollstamp/sources"
)

// RegistryLogin returns a token of the machine's identity, as Artifact Registry takes it. It goes to registries of
// Google alone, because it is good for more than them.
func RegistryLogin(ctx context.Context, host string) (auth.Credential, error) {
	if host != "gcr.io" && !strings.HasSuffix(host, ".gcr.io") && !strings.HasSuffix(host, ".pkg.dev") {
		return auth.EmptyCredential, sources.Fail(sources.Refused, host+" is no registry of Google Cloud")
	}
	who, err := transport.Creds(ctx, option.WithScopes("https://www.googleapis.com/auth/cloud-platform"))
	if err != nil {
		f := sources.Fail(sources.NoIdentity, "Google Cloud")
		f.Next = "Give them with GOOGLE_APPLICATION_CREDENTIALS, or run it where the machine has an identity."
		return auth.EmptyCredential, f
	}
	token, err := who.TokenSource.Token()
	if err != nil {
		return auth.EmptyCredential, sources.Fail(sources.NoLogin, "Google Cloud")
	}
	return auth.Credential{Username: "oauth2accesstoken", Password: token.AccessToken}, nil
}
