package lock_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

func inNamespace(namespace, property string) sources.Ref {
	return sources.Ref{
		Store: sources.Store{Kind: "SecretStore", Namespace: namespace, Name: "vault"}, Key: "db", Property: property,
	}
}

// The vectors of look-ups: what the lock holds, what is asked for, and the version or what is wrong.
func TestALineFitsAStoreWhoseNamespaceIsNotKnownOnOneSide(t *testing.T) {
	const nowhere, shop, team = "SecretStore/vault db version 1", "SecretStore/shop/vault db version 2", "SecretStore/team/vault db version 3"
	for what, c := range map[string]struct {
		lines []string
		ref   sources.Ref
		want  string
	}{
		"known on both sides":              {[]string{nowhere, shop, team}, inNamespace("shop", ""), "2"},
		"known to the look-up":             {[]string{nowhere, team}, inNamespace("shop", ""), "1"},
		"known to the line":                {[]string{shop}, inNamespace("", ""), "2"},
		"known on neither side":            {[]string{nowhere, shop, team}, inNamespace("", ""), "1"},
		"another one":                      {[]string{team}, inNamespace("shop", ""), "not in the lock"},
		"several lines":                    {[]string{shop, team}, inNamespace("", ""), "in the lock for several namespaces (SecretStore/shop/vault db, SecretStore/team/vault db)"},
		"a property of a key":              {[]string{shop}, inNamespace("", "user"), "2"},
		"a property, known to the look-up": {[]string{nowhere}, inNamespace("shop", "user"), "1"},
		"a store of the cluster": {[]string{"ClusterSecretStore/a/vault db version 4"},
			sources.Ref{Store: sources.Store{Kind: "ClusterSecretStore", Name: "vault"}, Key: "db"}, "not in the lock"},
		"VaultAuth": {[]string{"VaultAuth/shop/default db version 5"},
			sources.Ref{Store: sources.Store{Kind: "VaultAuth", Name: "default"}, Key: "db"}, "5"},
	} {
		f := parse(t, "schema 3\n\n"+strings.Join(c.lines, "\n\n")+"\n")
		answers, _, err := f.Resolve(context.Background(), []sources.Ref{c.ref})
		var got string
		var failure *sources.Failure
		if errors.As(err, &failure) {
			got = string(failure.Class)
			if failure.Status != "" {
				got += " (" + failure.Status + ")"
			}
			if diag.ExitOf(diag.Unjoin(err)[0]) != diag.ExitInput || diag.HintOf(diag.Unjoin(err)[0]) == "" {
				t.Errorf("%s: %v", what, err)
			}
		} else if err == nil {
			got = answers[0].Version
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", what, got, c.want)
		}
	}
}
