package stores

import (
	"context"
	"errors"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

// echo returns the key as the version.
type echo struct{}

func (echo) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	return sources.Answer{Version: ref.Key}, nil
}

func TestAKeyReachesItsClientAsExternalSecretsWritesIt(t *testing.T) {
	for _, c := range []struct {
		kind     string
		provider string
		key      string
		want     string
	}{
		{"SecretStore", "aws-sm", "secretsmanager/db", "secretsmanager/db"},
		{sources.ProviderClass, "aws-sm", "secretsmanager/db", "db"},
		{sources.ProviderClass, "aws-ssm", "ssmparameter//app/db", "/app/db"},
		{sources.ProviderClass, "azurekv", "key/db", "key/db"},
		{sources.ProviderClass, "gcpsm", "projects/p/locations/eu/secrets/db", "db"},
		{sources.ProviderClass, "vault", "secretsmanager/db", "secretsmanager/db"},
		{sources.Placeholders, "vault", "secret/data/db", "secret/data/db"},
		{sources.Placeholders, "aws-sm", "secretsmanager/db", "secretsmanager/db"},
		{sources.Placeholders, "gcpsm", "projects/p/secrets/db", "db"},
		{sources.Placeholders, "gcpsm", "projects/other/secrets/db", "request not accepted (the path is not below projects/p/secrets/)"},
		{sources.Placeholders, "azurekv", "vault", "provider not supported (argocd-vault-plugin with azurekv)"},
		{sources.Placeholders, "kubernetes", "shop:db", "provider not supported (argocd-vault-plugin with kubernetes)"},
	} {
		store := sources.Store{Kind: c.kind, Name: "s"}
		got := ""
		target := Target{Provider: sources.ProviderOf(c.provider), Fields: map[string]string{"projectID": "p"}}
		versions, err := target.Spell(store, echo{})
		if err == nil {
			var answer sources.Answer
			answer, err = versions.Version(t.Context(), sources.Ref{Key: c.key})
			got = answer.Version
		}
		var f *sources.Failure
		if errors.As(err, &f) {
			got = f.Error()
		}
		if got != c.want {
			t.Errorf("%s of %s, %s: got %q, want %q", c.kind, c.provider, c.key, got, c.want)
		}
	}
}
