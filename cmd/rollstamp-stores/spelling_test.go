package main

import (
	"context"
	"errors"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores/live"
)

// echo returns the key as the version.
type echo struct{}

func (echo) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	return sources.Answer{Version: ref.Key}, nil
}

func TestAKeyReachesItsClientAsExternalSecretsWritesIt(t *testing.T) {
	for _, c := range []struct {
		kind     string
		provider config.StoreProvider
		key      string
		want     string
	}{
		{"SecretStore", config.ProviderAWSSecrets, "secretsmanager/db", "secretsmanager/db"},
		{sources.ProviderClass, config.ProviderAWSSecrets, "secretsmanager/db", "db"},
		{sources.ProviderClass, config.ProviderAWSParams, "ssmparameter//app/db", "/app/db"},
		{sources.ProviderClass, config.ProviderAzure, "key/db", "key/db"},
		{sources.ProviderClass, config.ProviderGCP, "projects/p/locations/eu/secrets/db", "db"},
		{sources.ProviderClass, config.ProviderVault, "secretsmanager/db", "secretsmanager/db"},
		{sources.Placeholders, config.ProviderVault, "secret/data/db", "secret/data/db"},
		{sources.Placeholders, config.ProviderAWSSecrets, "secretsmanager/db", "secretsmanager/db"},
		{sources.Placeholders, config.ProviderGCP, "projects/p/secrets/db", "db"},
		{sources.Placeholders, config.ProviderGCP, "projects/other/secrets/db", "request not accepted (the path is not below projects/p/secrets/)"},
		{sources.Placeholders, config.ProviderAzure, "vault", "provider not supported (argocd-vault-plugin with azurekv)"},
		{sources.Placeholders, config.ProviderKubernetes, "shop:db", "provider not supported (argocd-vault-plugin with kubernetes)"},
	} {
		store := sources.Store{Kind: c.kind, Name: "s"}
		got := ""
		versions, err := spell(store, &live.Target{Provider: c.provider, Fields: map[string]string{"projectID": "p"}}, echo{})
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
