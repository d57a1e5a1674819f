package stamp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// versions is a lock: the version of each place by its ID.
type versions struct {
	known map[string]sources.Answer
	asked [][]string // the IDs of each call
}

func (v *versions) Resolve(_ context.Context, all []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	var ids []string
	var out []sources.Answer
	for _, r := range all {
		a, known := v.known[r.ID()]
		if !known {
			return nil, nil, fmt.Errorf("no version of %s", r.ID())
		}
		ids, out = append(ids, r.ID()), append(out, a)
	}
	v.asked = append(v.asked, ids)
	return out, nil, nil
}

const external1 = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data:
  - {secretKey: password, remoteRef: {key: prod/db, property: password}}
  - {secretKey: user, remoteRef: {key: prod/db, property: user}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: unread}
spec: {secretStoreRef: {name: other}, data: [{secretKey: x, remoteRef: {key: x}}]}
---
`

// reads is a Deployment that reads keys of Secret db.
func reads(name string, keys ...string) string {
	var env []any
	for i, key := range keys {
		env = append(env, object{"name": fmt.Sprintf("E%d", i),
			"valueFrom": object{"secretKeyRef": object{"name": "db", "key": key}}})
	}
	y, err := kube.Marshal(object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": name},
		"spec": object{"template": object{"spec": object{"containers": []any{object{"name": "c", "env": env}}}}}})
	if err != nil {
		panic(err)
	}
	return string(y)
}

// digests returns the digest of Secret db in each workload, by its name, and in the annotations of what makes it.
func digests(
	t testing.TB, text string, opts Options, context ...*render.Output,
) (of map[string]string, written string) {
	t.Helper()
	p, err := planOf(t, []byte(text), opts, context...)
	if err != nil {
		t.Fatal(err)
	}
	of = map[string]string{}
	for _, w := range p.Workloads {
		for _, r := range w.References {
			of[w.Name] = r.Digest
		}
	}
	out := string(bytesOf(t, p))
	again, err := planOf(t, []byte(out), opts, context...)
	if err != nil || again.HasChanges() {
		t.Fatalf("stamping again changes something: %v\n%s", err, out)
	}
	bare, err := Unstamp(t.Context(), []byte(out), opts)
	if err != nil || string(bare) != text {
		t.Fatalf("what was put in does not come out: %v\n%s\n%s", err, text, bare)
	}
	return of, out
}

func TestAVersionOfTheStoreRestartsWhatReadsItAndNothingElse(t *testing.T) {
	t.Parallel()
	text := external1 + reads("both", "password", "user") + "---\n" + reads("one", "user")
	v := &versions{known: map[string]sources.Answer{"ClusterSecretStore/vault prod/db#password": {Version: "1"},
		"ClusterSecretStore/vault prod/db#user": {Version: "4"}}}
	spec, plainText := digests(t, text, Options{})
	if strings.Count(plainText, hashing.DefaultPrefix) != 2 {
		t.Errorf("the spec alone is reason enough to fetch, but there are annotations:\n%s", plainText)
	}
	before, out := digests(t, text, Options{Resolver: v})
	if len(v.asked) == 0 || len(v.asked[0]) != 2 {
		t.Errorf("asked %v: what nobody reads is not asked for, and each place once", v.asked)
	}
	if strings.Count(out, hashing.DefaultPrefix) != 3 {
		t.Errorf("the ExternalSecret has no annotation that makes its operator fetch:\n%s", out)
	}
	v.known["ClusterSecretStore/vault prod/db#password"] = sources.Answer{Version: "2"}
	after, rotated := digests(t, text, Options{Resolver: v})
	if before["both"] == after["both"] || before["one"] != after["one"] {
		t.Errorf("before %v, after %v", before, after)
	}
	if annotationOf(out) == annotationOf(rotated) {
		t.Errorf("the ExternalSecret's annotation did not change:\n%s", rotated)
	}
	if spec["both"] == before["both"] {
		t.Error("the classes have one digest")
	}
	pinned := strings.Replace(text, "property: password}", "property: password, version: \"2\"}", 1)
	if fixed, _ := digests(t, pinned, Options{Resolver: v}); fixed["both"] != after["both"] {
		t.Errorf("pinned in the manifest %s, in the lock %s", fixed["both"], after["both"])
	}
}

// annotationOf returns the first stamp of a text.
func annotationOf(text string) string {
	_, rest, _ := strings.Cut(text, hashing.DefaultPrefix)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func TestAStoreThatDoesNotAnswerStopsTheRun(t *testing.T) {
	t.Parallel()
	p, err := planOf(t, []byte(external1+reads("one", "user")), Options{Resolver: &versions{}})
	if p != nil || err == nil || !strings.Contains(err.Error(), "ClusterSecretStore/vault prod/db") {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestWhatIsNotStampedIsNotAskedFor(t *testing.T) {
	t.Parallel()
	text := external1 + strings.Replace(reads("one", "user"), "metadata:\n  name: one",
		"metadata:\n  annotations: {rollstamp.dev/mode: \"off\"}\n  name: one", 1)
	v := &versions{}
	p, err := planOf(t, []byte(text), Options{Resolver: v})
	if err != nil || len(v.asked) != 0 {
		t.Fatalf("asked %v: %v", v.asked, err)
	}
	if r := p.Workloads[0].References[0]; r.Digest != "" {
		t.Errorf("it has the digest %s of something that nobody knows", r.Digest)
	}
}

// decrypter decrypts SealedSecrets whose ciphertexts are known.
type decrypter map[string]string

func (o decrypter) Decrypt(_ context.Context, _ string, doc []byte) (map[string]redact.Secret, error) {
	for sealed, value := range o {
		if strings.Contains(string(doc), sealed) {
			return map[string]redact.Secret{"password": redact.New([]byte(value))}, nil
		}
	}
	return nil, nil
}

func TestSealingAgainRestartsNothingWhereItCanBeOpened(t *testing.T) {
	t.Parallel()
	text := func(cipher string) string {
		return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec: {encryptedData: {password: " + cipher +
			"}, template: {data: {url: \"x:{{ .password }}\"}}}\n---\n" + reads("one", "password", "url")
	}
	key := givenKey(t)
	opts := Options{Key: key, Decrypter: decrypter{"AgAA": "hunter2", "AgBB": "hunter2", "AgCC": "other"}}
	one, _ := digests(t, text("AgAA"), opts)
	two, _ := digests(t, text("AgBB"), opts)
	other, _ := digests(t, text("AgCC"), opts)
	unknown, _ := digests(t, text("AgDD"), opts)
	if one["one"] != two["one"] || one["one"] == other["one"] || !strings.HasPrefix(one["one"], hashing.KeyedPrefix) {
		t.Errorf("%s and %s for one value, %s for another", one["one"], two["one"], other["one"])
	}
	if cipher, _ := digests(t, text("AgDD"), Options{Key: key}); unknown["one"] != cipher["one"] {
		t.Error("what cannot be decrypted does not count as its ciphertext")
	}
	_, err := planOf(t, []byte(text("AgAA")), Options{Decrypter: opts.Decrypter})
	var e *diag.Error
	if !errors.As(err, &e) || !errors.Is(err, hashing.ErrKeyNeeded) || e.Exit != diag.ExitUsage || e.Object == "" ||
		e.Hint == "" {
		t.Errorf("without a hash key: %v", err)
	}
}

func givenKey(t testing.TB) *hashing.Key {
	t.Helper()
	key, err := hashing.KeyFromBytes(redact.New([]byte("0123456789abcdef")), "test")
	if err != nil {
		t.Fatal(err)
	}
	return &key
}

func TestTheContextIsLookedUpAndNeverRendered(t *testing.T) {
	t.Parallel()
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: one}\nspec: {template: {spec: {containers: [{envFrom: [{configMapRef: {name: shared}}]}]}}}\n"
	shared := func(v string) []*render.Output {
		return []*render.Output{{Text: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {a: " + v +
			"}\n")}}
	}
	one, out := digests(t, text, Options{}, shared("x")...)
	two, _ := digests(t, text, Options{}, shared("z")...)
	none, _ := digests(t, text, Options{})
	inside, _ := digests(t, text+"---\n"+string(shared("x")[0].Text), Options{}, shared("z")...)
	if one["one"] == two["one"] || none["one"] != "" || inside["one"] != one["one"] ||
		strings.Contains(out, "data: {a: x}") {
		t.Errorf("got %v, %v, %v, %v\n%s", one, two, none, inside, out)
	}
	p, err := planOf(t, []byte(text), Options{}, shared("x")...)
	if err != nil || p.Workloads[0].References[0].Source != objects.Context {
		t.Errorf("the source is not reported: %v", err)
	}
	_, err = planOf(t, []byte(text), Options{},
		&render.Output{Text: []byte("\na: ["), Origins: []render.Origin{{Offset: 1, File: "x.yaml", Line: 1}}})
	var e *diag.Error
	if !errors.As(err, &e) || e.Pos.File != "x.yaml" {
		t.Errorf("got %v", err)
	}
}

// remote is one entry of a random ExternalSecret's data.
type remote struct{ key, property, version, decoding string }

// written returns the entry in one of the ways in which people write it.
func (r remote) written(g *rand.Rand, key string) object {
	ref := object{"key": r.key}
	optional := func(field, value, fallback string) {
		if value != fallback || g.IntN(2) == 0 {
			ref[field] = value
		}
	}
	optional("property", r.property, "")
	optional("version", r.version, "")
	optional("decodingStrategy", r.decoding, "None")
	optional("conversionStrategy", "Default", "Default")
	optional("metadataPolicy", "None", "None")
	return object{"secretKey": key, "remoteRef": ref}
}

// TestAnEntryOfAnExternalSecretRestartsWhatReadsItHoweverItIsWritten changes one thing of a random ExternalSecret, or
// only its writing.
func TestAnEntryOfAnExternalSecretRestartsWhatReadsItHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	g := rand.New(rand.NewPCG(11, 12))
	keys := []string{"a", "b", "c"}
	changed := 0
	for range 200 {
		data := map[string]remote{}
		for _, k := range keys {
			data[k] = remote{[]string{"x", "y"}[g.IntN(2)], []string{"", "p", "q"}[g.IntN(3)], []string{"", "1"}[g.IntN(2)],
				[]string{"None", "Base64"}[g.IntN(2)]}
		}
		store := []string{"SecretStore", "ClusterSecretStore"}[g.IntN(2)]
		write := func() string {
			var entries []any
			for _, i := range g.Perm(len(keys)) {
				entries = append(entries, data[keys[i]].written(g, keys[i]))
			}
			ref := object{"name": "s"}
			if store != "SecretStore" || g.IntN(2) == 0 {
				ref["kind"] = store
			}
			spec := object{"secretStoreRef": ref, "data": entries, "refreshInterval": []string{"1h", "2h"}[g.IntN(2)]}
			if g.IntN(2) == 0 {
				spec["target"] = object{"name": "db", "creationPolicy": "Owner", "deletionPolicy": "Retain"}
			}
			o := object{"apiVersion": []string{"external-secrets.io/v1", "external-secrets.io/v1beta1"}[g.IntN(2)],
				"kind": "ExternalSecret", "metadata": object{"name": "db"}, "spec": spec}
			if g.IntN(2) == 0 {
				return asJSONText(t, o)
			}
			y, err := kube.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			return string(y)
		}
		consumers := "---\n" + reads("a", "a") + "---\n" + reads("bc", "b", "c")
		before, _ := digests(t, write()+consumers, Options{})
		if same, text := digests(t, write()+consumers, Options{}); same["a"] != before["a"] || same["bc"] != before["bc"] {
			t.Fatalf("the writing changes the digest:\n%s", text)
		}
		k := keys[g.IntN(3)]
		r := data[k]
		switch g.IntN(4) {
		case 0:
			r.key += "2"
		case 1:
			r.property += "2"
		case 2:
			r.version += "2"
		case 3:
			r.decoding = "Auto"
		}
		data[k] = r
		after, text := digests(t, write()+consumers, Options{})
		inA, inBC := k == "a", k != "a"
		if (after["a"] != before["a"]) != inA || (after["bc"] != before["bc"]) != inBC {
			t.Fatalf("%s changed to %+v, digests from %v to %v:\n%s", k, r, before, after, text)
		}
		changed++
		store = map[string]string{"SecretStore": "ClusterSecretStore", "ClusterSecretStore": "SecretStore"}[store]
		if moved, _ := digests(t, write()+consumers, Options{}); moved["a"] == after["a"] || moved["bc"] == after["bc"] {
			t.Fatal("another store has the same digest")
		}
	}
	if changed < 200 {
		t.Errorf("only %d changes", changed)
	}
}

func asJSONText(t testing.TB, o object) string {
	t.Helper()
	y, err := kube.Marshal(o)
	if err == nil {
		y, err = kube.YAMLToJSON(y)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(y) + "\n"
}

func TestAHigherLevelIsNotTakenUnasked(t *testing.T) {
	t.Parallel()
	opts := Options{Settings: &config.Settings{InForce: &config.InForce{Level: config.Setting[config.Level]{Value: 1}}}}
	if of, _ := digests(t, external1+reads("one", "user"), opts); of["one"] == "" {
		t.Error("all producers are of level 1")
	}
}

func TestAVersionIsPinnedWhereTheStoreTakesOne(t *testing.T) {
	t.Parallel()
	const store = "---\napiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\nspec: {provider: {vault: {server: https://x, version: v2}}}\n"
	const aws = "---\napiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\nspec: {provider: {aws: {service: SecretsManager}}}\n"
	v := &versions{known: map[string]sources.Answer{"ClusterSecretStore/vault prod/db#password": {Version: "7"},
		"ClusterSecretStore/vault prod/db#user": {Version: "7"}}}
	inForce := &config.InForce{Refresh: config.Setting[config.RefreshWay]{Value: config.RefreshPin}}
	settings := &config.Settings{InForce: inForce}
	block := strings.Replace(external1, "  - {secretKey: user, remoteRef: {key: prod/db, property: user}}\n",
		"  - secretKey: user\n    remoteRef:\n      key: prod/db\n      property: user\n", 1)
	for _, c := range []struct{ name, text, want string }{
		{"vault", block + reads("one", "user", "password") + store, `version: "7"`},
		{"aws", block + reads("one", "user", "password") + aws, `version: "uuid/7"`},
		{"a store that is not there", block + reads("one", "user", "password"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := Options{Resolver: v, Settings: settings}
			p, err := planOf(t, []byte(c.text), opts)
			if err != nil {
				t.Fatal(err)
			}
			out := bytesOf(t, p)
			pins := 0
			if c.want != "" {
				pins = strings.Count(string(out), c.want)
			}
			if unpinned := len(findingsOf(p, diag.NotPinned)); c.want != "" && pins != 2 || c.want == "" && unpinned != 2 {
				t.Fatalf("%d pins, %d findings:\n%s", pins, unpinned, out)
			}
			again, err := planOf(t, out, opts)
			if err != nil || again.HasChanges() {
				t.Errorf("stamping again changes something: %v\n%s", err, bytesOf(t, again))
			}
		})
	}
	off := Options{
		Resolver: v,
		Settings: &config.Settings{InForce: &config.InForce{
			Refresh: config.Setting[config.RefreshWay]{Value: config.RefreshOff},
		}},
	}
	if _, out := digests(t, external1+reads("one", "user"), off); strings.Count(out, hashing.DefaultPrefix) != 1 {
		t.Errorf("the operator is made to fetch although that is switched off:\n%s", out)
	}
}

func findingsOf(p *planned, code diag.Code) (out []diag.Finding) {
	for _, f := range p.Findings {
		if f.Code == code {
			out = append(out, f)
		}
	}
	return out
}

func TestWhatAPodTakesFromVaultItselfHasAVersion(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations:
        vault.hashicorp.com/agent-inject: "true"
        vault.hashicorp.com/agent-inject-secret-db: kv/data/db
    spec:
      containers:
      - env:
        - {name: A, value: "vault:secret/data/mysql#PASSWORD"}
        - {name: B, value: "mysql://${vault:secret/data/mysql#USER}:${vault:secret/data/mysql#PASSWORD}@db"}
        - {name: C, value: ">>bao:secret/data/fixed#KEY#3"}
        - {name: D, value: "vault: no place"}
`
	v := &versions{known: map[string]sources.Answer{"Vault/default kv/db": {Version: "1"},
		"Vault/default secret/mysql#PASSWORD": {Version: "5"}, "Vault/default secret/mysql#USER": {Version: "5"}}}
	if spec, out := digests(t, text, Options{}); spec["web"] != "" || out != text {
		t.Errorf("the template restarts the pods itself, but there is %v\n%s", spec, out)
	}
	before, out := digests(t, text, Options{Resolver: v})
	if before["web"] == "" || !strings.Contains(out, "checksum.rollstamp.dev/vault.web: "+before["web"]) ||
		len(v.asked[0]) != 3 {
		t.Errorf("got %v, asked %v\n%s", before, v.asked, out)
	}
	v.known["Vault/default kv/db"] = sources.Answer{Version: "2"}
	if after, _ := digests(t, text, Options{Resolver: v}); after["web"] == before["web"] {
		t.Error("a new version restarts nothing")
	}
}

func TestWhatAPodTakesFromVaultItselfIsNotAskedForWhereItsReloaderDeclines(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations: {secrets-reloader.security.bank-vaults.io/reload-on-secret-change: "false"}
    spec:
      containers:
      - env:
        - {name: A, value: "vault:secret/data/mysql#PASSWORD"}
`
	v := &versions{known: map[string]sources.Answer{"Vault/default secret/mysql#PASSWORD": {Version: "5"}}}
	s := config.New()
	if _, out := digests(t, text, Options{Resolver: v, Settings: s}); out == text {
		t.Fatal("without the setting its version restarts nothing")
	}
	asked := len(v.asked)
	s.Compat.BankVaults.Value = config.CompatHonour
	p, err := planOf(t, []byte(text), Options{Resolver: v, Settings: s})
	if err != nil || p.HasChanges() || len(v.asked) > asked && len(v.asked[asked]) > 0 {
		t.Fatalf("it counts: %v, asked %v", err, v.asked)
	}
	if found := findingsOf(p, diag.Ignored); len(found) != 1 ||
		!strings.Contains(found[0].Message, "reload-on-secret-change is not true") {
		t.Errorf("reported are %+v", p.Findings)
	}
}
