package main

// secretExtensions are where values of Secrets may come from.
var secretExtensions = []extension{
	{
		what: "a store that is asked for versions",
		rows: []row{
			{"cmd/rollstamp-stores/clients.go", "(sources.Versions, error){\n", "\t\"shoebox\": shoebox.Open,\n"},
			{"cmd/rollstamp-stores/clients.go", "sources/stores/kubernetes\"\n",
				"\t\"github.com/rollstamp/rollstamp/sources/stores/shoebox\"\n"},
		},
		files: map[string]string{
			"sources/stores/shoebox/provider.json": `[{"name": "shoebox", "pinned": "^lid-[0-9]+$"}]`,
			"sources/stores/shoebox/shoebox.go": `// Package shoebox answers for what lies in a shoebox.
package shoebox

import (
	"context"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Box is a shoebox.
type Box struct{ shelf string }

// Open returns what answers for a shoebox.
func Open(t *stores.Target) (sources.Versions, error) { return Box{t.Fields["shelf"]}, nil }

// Version returns the lid under which a key lies.
func (b Box) Version(_ context.Context, ref sources.Ref) (sources.Answer, error) {
	return sources.Answer{Version: "lid-7 on the " + b.shelf}, nil
}
`,
		},
		input: map[string]string{"a.yaml": `apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: attic}
spec: {provider: {shoebox: {shelf: top shelf}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: letters}
spec:
  secretStoreRef: {name: attic}
  data: [{secretKey: a, remoteRef: {key: letters}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: letters}}]}]}}}
`},
		args: []string{"explain", "--secrets", "live", "--allow", "stores", "a.yaml"},
		want: "lid-7 on the top shelf",
	},
	{
		what: "a kind of ciphertext",
		rows: []row{
			{"wiring/decrypters.go", "\there(sealed.For),\n", "\there(mirror.For),\n"},
			{"wiring/decrypters.go", "\t\"github.com/rollstamp/rollstamp/sources\"\n",
				"\t\"github.com/rollstamp/rollstamp/sources/decrypt/mirror\"\n"},
			{"sources/objects/table.go", "return join(\n", "\t\tmirrors(),\n"},
			{"config/settings.go", "type InForce struct {\n", "\tMirror Setting[bool]\n"},
			{"config/table.go", "var applicationRows = []Row{\n", `	{
		Name: "mirror", In: InFile,
		About: "Whether MirrorSecrets are decrypted.", Example: "true",
		field: boolean(func(s *Settings) *Setting[bool] { return &s.Mirror }),
	},
`},
		},
		files: map[string]string{
			"sources/objects/mirrors.go": `package objects

// The operator of MirrorSecrets, whose values are written backwards.
func mirrors() operator {
	return operator{rows: map[string][]row{
		"MirrorSecret": {{group: "example.com", kind: secret, encrypted: true, parts: wholeSpec(shape{})}},
	}}
}
`,
			"sources/decrypt/mirror/mirror.go": `// Package mirror decrypts MirrorSecrets.
package mirror

import (
	"context"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// Decrypter decrypts MirrorSecrets.
type Decrypter struct{}

// For returns how to make what decrypts for applications with some settings.
func For(s *config.Settings) (id string, load func() (sources.Decrypter, error)) {
	if !s.Mirror.Value {
		return "", nil
	}
	return "", func() (sources.Decrypter, error) { return Decrypter{}, nil }
}

// Decrypt returns the values of a MirrorSecret.
func (Decrypter) Decrypt(_ context.Context, _ string, doc []byte) (map[string]redact.Secret, error) {
	var o struct {
		Kind string
		Spec map[string]string
	}
	if err := yaml.Unmarshal(doc, &o); err != nil || o.Kind != "MirrorSecret" {
		return nil, err
	}
	out := map[string]redact.Secret{}
	for key, value := range o.Spec {
		letters := []rune(value)
		slices.Reverse(letters)
		out[key] = redact.New([]byte(string(letters)))
	}
	return out, nil
}
`,
		},
		input: map[string]string{".rollstamp.yaml": "mirror: true\n", "a.yaml": `apiVersion: example.com/v1
kind: MirrorSecret
metadata: {name: tea}
spec: {password: 2retnuh, user: me}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec: {containers: [{name: c, env: [{name: P, valueFrom: {secretKeyRef: {name: tea, key: password}}}]}]}
`},
		args: []string{"explain", "a.yaml"},
		want: "decrypted needs a hash key", // a ciphertext does not
	},
}
