package config

import (
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func policyFile(t *testing.T, text string) string {
	t.Helper()
	return filepath.Join(tree(t, map[string]string{"policy.yaml": text}), "policy.yaml")
}

func TestTheFirstRuleThatFitsAStoreCounts(t *testing.T) {
	s := mustResolve(t, "", env(EnvPolicy, policyFile(t, `
allow: [stores, store-values]
stores:
- match: {kind: clustersecretstore, name: "vault-*"}
  addresses: ["https://Vault.example.com:443/", "http://127.0.0.1:8200"]
  credentials: {tokenFile: /run/token, kubernetesRole: render}
- match: {provider: aws-sm, namespace: shop}
  credentials: {assumeRole: "arn:aws:iam::1:role/r"}
- match: {name: old}
  provider: file
  fields: {path: /srv/secrets}
`)), Flags{})
	if !s.Permissions().Stores || !s.Permissions().StoreValues {
		t.Errorf("permissions are %+v", s.Permissions())
	}
	rules := s.StoreRules()
	for _, c := range []struct {
		kind, namespace, name, provider string
		want                            int
	}{
		{
			"ClusterSecretStore", "", "vault-a", "vault", 0}, {"SecretStore", "x", "vault-a", "vault",
			-1}, {"SecretStore", "shop", "s", "aws-sm", 1},
		{"SecretStore", "other", "s", "aws-sm", -1}, {"SecretStore", "other", "old", "", 2},
	} {
		got := RuleFor(rules, &sources.Store{Kind: c.kind, Namespace: c.namespace, Name: c.name, Provider: c.provider})
		if want := c.want; want < 0 && got != nil || want >= 0 && got != &rules[want] {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
	got := rules[0].Addresses
	if len(got) != 2 || got[0] != "https://vault.example.com" || got[1] != "http://127.0.0.1:8200" {
		t.Errorf("addresses are %q", got)
	}
}

func TestARuleForStoresThatCannotBeMeantIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"stores: [{match: {}}]":     "policy.yaml:1: stores[0].match: an empty match would fit every store",
		"stores: [{provider: x}]":   `"x" is not one of `,
		"stores: [{fields: {}}]":    `field "match" is missing`,
		"stores: [{match: {n: a}}]": `unknown field "n"`,
		"stores: [{match: {name: a}, credentials: {tokenFile: a, tokenEnv: b}}]":        "set one of them",
		"stores: [{match: {name: a}, credentials: {appRole: a, kubernetesRole: b}}]":    "set one of them",
		"stores: [{match: {name: a}, credentials: {appRole: a}}]":                       "the secret id is missing",
		"stores: [{match: {name: a}, addresses: [vault.example.com]}]":                  "is no address",
		"stores: [{match: {name: a}, addresses: ['https://u:p@vault.example.com']}]":    "is no address",
		"stores: [{match: {name: a}, addresses: ['https://vault.example.com/tenant']}]": "is no address",
		"stores: [{match: {name: a}, addresses: ['ftp://vault.example.com']}]":          "is no address",
		"stores: [{match: {name: a}, addresses: ['https://vault.example.com?x=y']}]":    "is no address",
	} {
		_, err := resolveIn(t, "", env(EnvPolicy, policyFile(t, text)), Flags{})
		fails(t, err, want)
	}
	_, err := resolveIn(t, "stores: []", env(), Flags{})
	fails(t, err, `.rollstamp.yaml:1: unknown field "stores"`)
}

func TestOriginsAreEqualWhereServersAre(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example": "https://a.example", "HTTPS://A.example:443/v1?x=y": "https://a.example",
		"http://a:80": "http://a", "http://a:443": "http://a:443",
		"https://[::1]:8200/": "https://[::1]:8200", "https://a:": "https://a", "https://u@a": "", "//a": "",
		"a:8200": "", "https://": "", "https://a\x00": "",
	} {
		if got, ok := Origin(address); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", address, got, ok)
		}
	}
}
