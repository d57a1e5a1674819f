package stamp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
)

// shop is a stream whose digests the independent script of the contract has computed.
const shop = `apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data: {level: info, port: "8080"}
binaryData: {logo: AAEC/w==}
---
apiVersion: v1
kind: Secret
metadata: {name: db}
data: {user: YXBw, password: aHVudGVyMg==}
stringData:
  password: correct horse
  note: |
    grüße
---
apiVersion: v1
kind: Secret
metadata: {name: db2}
data: {user: YXBw, password: aHVudGVyMg==}
stringData: {password: correct horse, note: "grüße\n"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: all}
spec: {template: {spec: {containers: [{envFrom: [{configMapRef: {name: shop}}, {secretRef: {name: db}}]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: some}
spec:
  template:
    spec:
      containers:
      - env:
        - {name: A, valueFrom: {configMapKeyRef: {name: shop, key: level}}}
        - {name: B, valueFrom: {secretKeyRef: {name: db, key: password}}}
        - {name: C, valueFrom: {secretKeyRef: {name: db2, key: password}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: none}
spec:
  template:
    spec: {containers: [{env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: nothing, optional: true}}}]}]}
`

var values = regexp.MustCompile(`: (v1k?-[0-9a-f]{16})`)

func TestSecretsAreKeyedByHashKeyDomainAndName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, key, domain, want string }{
		// shop and db whole; level, db's and db2's password; nothing of db
		{"no hash key", "", "", "v1-f328e61015adbe91 v1-f9bfb68e1e015272 v1-5be312503cd6f316 v1-9de936e49ba3a46b v1-9de936e49ba3a46b v1-a473459e99e676fd"},
		{"a hash key", "a hash key of the tests", "",
			"v1-f328e61015adbe91 v1k-cccb4dadc89e22a6 v1-5be312503cd6f316 v1k-120090f7e6d2a25c v1k-f1c17fe7be9eff40 v1k-737160c39fc0d548"},
		{"a hash domain", "a hash key of the tests", "team-a",
			"v1-f328e61015adbe91 v1k-b96a2c32fd0afeb3 v1-5be312503cd6f316 v1k-131b512815fbdfed * v1k-b09367f61e59d623"},
		{"another hash domain", "a hash key of the tests", "team-b",
			"v1-f328e61015adbe91 v1k-b978c7885eb4a559 v1-5be312503cd6f316 v1k-c322a8b75bb62bf7 * v1k-63b32972ad83136c"},
		{"another hash key", "another key of 16 bytes", "",
			"v1-f328e61015adbe91 v1k-caf5a1d095400f5a v1-5be312503cd6f316 v1k-4ca4443203ea72c8 * v1k-1483c528987543b3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opts Options
			if c.key != "" {
				key, err := hashing.KeyFromBytes(redact.New([]byte(c.key)), "test")
				if err != nil {
					t.Fatal(err)
				}
				key = key.InDomain(c.domain)
				opts.Key = &key
			}
			p, err := planOf(t, []byte(shop), opts)
			if err != nil {
				t.Fatal(err)
			}
			got := values.FindAllStringSubmatch(string(bytesOf(t, p)), -1)
			want := strings.Fields(c.want)
			if len(got) != len(want) {
				t.Fatalf("%d digests", len(got))
			}
			for i := range want {
				if want[i] != "*" && got[i][1] != want[i] {
					t.Errorf("digest %d: got %s, want %s", i, got[i][1], want[i])
				}
			}
			unkeyed := false
			for _, f := range p.Findings {
				unkeyed = unkeyed || f.Code == "secret-digest-not-keyed"
			}
			if unkeyed != (c.key == "") {
				t.Errorf("a finding about digests without a hash key: %t", unkeyed)
			}
		})
	}
}

func TestDigestsThatAreNotWrittenDoNotCountAsOnesWithoutAKey(t *testing.T) {
	t.Parallel()
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: example}\n---\n"
	reads := func(group, kind string) string {
		return "apiVersion: " + group + "\nkind: " + kind + "\nmetadata: {name: " + strings.ToLower(kind) + "}\n" +
			"spec: {template: {spec: {containers: [{name: c, image: i, envFrom: [{secretRef: {name: db}}]}]}}}\n---\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"a Job": {secret + reads("batch/v1", "Job"), ""},
		"a Deployment and a Job": {secret + reads("batch/v1", "Job") + reads("apps/v1", "Deployment"),
			"1 digest of Secrets without a hash key"},
	} {
		p, err := planOf(t, []byte(c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range p.Findings {
			if f.Code == diag.UnkeyedSecret {
				got = f.Message
			}
		}
		if got != c.want {
			t.Errorf("%s: %q is reported, want %q", name, got, c.want)
		}
	}
}
