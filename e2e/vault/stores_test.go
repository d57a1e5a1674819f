package vault

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rollstamp-e2e-vault-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"rollstamp", "rollstamp-stores"} {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-X main.release=v0.0.0-e2e", "-o", filepath.Join(dir, name), "./cmd/"+name)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// programs returns the folder with both programs.
func programs(t testing.TB) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What passes between the programs, as far as the tests write it themselves.
type (
	store struct {
		Kind, Namespace, Name, Provider string
		Fields                          map[string]string
	}
	find struct {
		Path, Name string
		Tags       map[string]string
	}
	ref struct {
		Store                  store
		Key, Property, Version string
		Find                   *find
	}
	request struct {
		Key    []byte           `json:"key,omitempty"`
		Values bool             `json:"values,omitempty"`
		Rules  []map[string]any `json:"rules,omitempty"`
		Refs   []ref            `json:"refs"`
	}
	answer  struct{ Version, Digest string }
	trouble struct {
		Class, Status, Next, Text string
		Ref                       int
	}
	response struct {
		Answers  []answer
		Troubles []trouble
	}
)

// ask runs the program that asks stores, as rollstamp does.
func ask(t testing.TB, s *server, token string, req request) (r response) {
	t.Helper()
	line, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs(t), "rollstamp-stores"))
	cmd.Env = []string{"HOME=" + t.TempDir(), "VAULT_ADDR=" + s.URL, "VAULT_TOKEN=" + token}
	in, to, err := os.Pipe() // which stays open: the program ends when nobody is there any more
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer to.Close()
	go func() { _, _ = to.Write(append(line, '\n')) }() // more than a pipe holds, maybe
	cmd.Stdin = in
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	hello, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(hello, "v0.0.0-e2e") {
		t.Fatalf("it says %s", hello)
	}
	if err := json.Unmarshal([]byte(rest), &r); err != nil {
		t.Fatalf("%v in %s", err, rest)
	}
	return r
}

func vaultStore(s *server, fields ...string) store {
	st := store{Kind: "ClusterSecretStore", Name: "vault", Provider: "vault", Fields: map[string]string{"server": s.URL}}
	for i := 0; i < len(fields); i += 2 {
		st.Fields[fields[i]] = fields[i+1]
	}
	return st
}

// version asks for one reference that has an answer.
func version(t *testing.T, s *server, token string, r ref) string {
	t.Helper()
	got := ask(t, s, token, request{Refs: []ref{r}})
	if len(got.Answers) != 1 || got.Answers[0].Version == "" {
		t.Fatalf("%s %s: got %+v", r.Store.Fields["path"], r.Key, got)
	}
	return got.Answers[0].Version
}

// class asks for one reference that has none.
func class(t *testing.T, s *server, token string, req request) string {
	t.Helper()
	got := ask(t, s, token, req)
	if len(got.Troubles) != 1 || len(got.Answers) == 1 && got.Answers[0] != (answer{}) {
		t.Fatalf("got %+v", got)
	}
	return got.Troubles[0].Class
}

const metadataOnly = `
path "secret/metadata/*"  { capabilities = ["read", "list"] }
path "apps/kv/metadata/*" { capabilities = ["read", "list"] }
`

func TestAVersionIsFoundWithATokenThatCannotReadValues(t *testing.T) {
	s := start(t)
	token := s.token(t, metadataOnly)
	s.put2(t, "secret", "shop/db", "one")
	s.put2(t, "apps/kv", "web", "one")
	for _, r := range []ref{
		{Store: vaultStore(s), Key: "secret/shop/db"},
		{Store: vaultStore(s), Key: "secret/data/shop/db"},
		{Store: vaultStore(s, "path", "secret"), Key: "shop/db"},
		{Store: vaultStore(s, "path", "secret", "version", "v2"), Key: "secret/data/shop/db", Property: "password"},
		{Store: vaultStore(s, "path", "apps/kv"), Key: "web"},
	} {
		if got := version(t, s, token, r); got != "1" {
			t.Errorf("%v %s: version %s", r.Store.Fields, r.Key, got)
		}
	}
	s.put2(t, "secret", "shop/db", "two")
	r := ref{Store: vaultStore(s, "path", "secret"), Key: "shop/db"}
	if got := version(t, s, token, r); got != "2" {
		t.Errorf("after a write it is version %s", got)
	}
	s.put(t, "secret/metadata/shop/db", map[string]any{"custom_metadata": map[string]any{"owner": "me"}})
	if got := version(t, s, token, r); got != "2" {
		t.Errorf("after an edit of the metadata it is version %s", got)
	}
	if s.asked("/data/") != 0 || s.asked("GET /v1/secret/metadata/") == 0 {
		t.Errorf("asked for %v", s.paths)
	}
	// The token itself proves it: what it cannot do, nobody did with it.
	client, err := s.Root.Clone()
	if err != nil {
		t.Fatal(err)
	}
	client.SetToken(token)
	if _, err := client.KVv2("secret").Get(t.Context(), "shop/db"); err == nil {
		t.Error("the token can read values")
	}
}

func TestWhatIsDeletedDestroyedAbsentOrForbiddenIsAnErrorOfItsOwn(t *testing.T) {
	s := start(t)
	token := s.token(t, metadataOnly)
	for _, key := range []string{"deleted", "destroyed", "emptied"} {
		s.put2(t, "secret", "bad/"+key, "one")
		s.put2(t, "secret", "bad/"+key, "two")
	}
	kv := s.Root.KVv2("secret")
	for _, err := range []error{
		kv.Delete(t.Context(), "bad/deleted"), kv.Destroy(t.Context(), "bad/destroyed", []int{2}), kv.DeleteMetadata(t.Context(), "bad/emptied"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ token, key, want string }{
		{token, "secret/bad/deleted", "latest version is deleted"},
		{token, "secret/bad/destroyed", "latest version is deleted"},
		{token, "secret/bad/emptied", "not found"},
		{token, "secret/none", "not found"},
		{token, "other/none", "permission denied"},
		{"hvs.none", "secret/bad/deleted", "permission denied"},
		{token, "secret/../auth/token/lookup-self", "request not accepted"},
		{token, "secret/./x", "request not accepted"},
	} {
		if got := class(t, s, c.token, request{Refs: []ref{{Store: vaultStore(s), Key: c.key}}}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.key, got, c.want)
		}
	}
	if s.asked("/auth/") != 0 || s.asked("/data/") != 0 {
		t.Errorf("asked for %v", s.paths)
	}
}

func TestASearchIsTheSetOfWhatIsThere(t *testing.T) {
	s := start(t)
	token := s.token(t, metadataOnly)
	for _, key := range []string{"team/a", "team/b", "team/deep/a", "team/gone"} {
		s.put2(t, "secret", key, "one")
	}
	r := ref{Store: vaultStore(s, "path", "secret"), Find: &find{Path: "team", Name: "a$"}}
	first := version(t, s, token, r)
	s.put2(t, "secret", "team/b", "two")
	if got := version(t, s, token, r); got != first {
		t.Error("what does not fit counts")
	}
	s.put2(t, "secret", "team/deep/a", "two")
	second := version(t, s, token, r)
	if second == first {
		t.Error("a new version of what fits does not count")
	}
	s.put2(t, "secret", "team/deep/aa", "one")
	if got := version(t, s, token, r); got == second {
		t.Error("a further key that fits does not count")
	}
	if err := s.Root.KVv2("secret").DeleteMetadata(t.Context(), "team/deep/aa"); err != nil {
		t.Fatal(err)
	}
	if got := version(t, s, token, r); got != second || !strings.HasPrefix(got, "set-") {
		t.Errorf("got %s, want %s", got, second)
	}
	s.put(t, "secret/metadata/team/b", map[string]any{"custom_metadata": map[string]any{"tier": "1"}})
	tagged := ref{Store: vaultStore(s, "path", "secret"), Find: &find{Path: "team", Tags: map[string]string{"tier": "1"}}}
	all := ref{Store: vaultStore(s, "path", "secret"), Find: &find{Path: "team"}}
	none := ref{Store: vaultStore(s, "path", "secret"), Find: &find{Path: "nothing/here"}}
	seen := map[string]bool{second: true}
	for _, r := range []ref{tagged, all, none} {
		v := version(t, s, token, r)
		if seen[v] {
			t.Errorf("%+v is as another", r.Find)
		}
		seen[v] = true
	}
	if s.asked("/data/") != 0 {
		t.Errorf("asked for %v", s.paths)
	}
}

func TestAnEngineWithoutVersionsNeedsPermissionAndAHashKey(t *testing.T) {
	s := start(t)
	canary := "canary" + rand.Text()
	s.put(t, "old/shop", map[string]any{"password": canary, "user": "me"})
	token := s.token(t, `path "old/*" { capabilities = ["read"] }`)
	r := ref{Store: vaultStore(s, "path", "old", "version", "v1"), Key: "shop", Property: "password"}
	key := bytes.Repeat([]byte("k"), 32)
	if got := class(t, s, token, request{Refs: []ref{r}, Key: key}); got != "store has no versions" {
		t.Errorf("without permission: %s", got)
	}
	if got := class(t, s, token, request{Refs: []ref{r}, Values: true}); got != "value without a hash key" {
		t.Errorf("without a key: %s", got)
	}
	if s.asked("old/shop") != 0 {
		t.Error("the value was read")
	}
	digest := func(key []byte, r ref) string {
		got := ask(t, s, token, request{Refs: []ref{r}, Key: key, Values: true})
		if len(got.Answers) != 1 || len(got.Answers[0].Digest) != 32 || got.Answers[0].Version != "" {
			t.Fatalf("got %+v", got)
		}
		return got.Answers[0].Digest
	}
	first := digest(key, r)
	whole := r
	whole.Property = ""
	if digest(key, r) != first || digest(bytes.Repeat([]byte("x"), 32), r) == first || digest(key, whole) == first {
		t.Error("the digest is not of value and key")
	}
	s.put(t, "old/shop", map[string]any{"password": canary, "user": "you"})
	if digest(key, r) != first {
		t.Error("another property counts")
	}
	s.put(t, "old/shop", map[string]any{"password": canary + "2", "user": "you"})
	if digest(key, r) == first {
		t.Error("the value does not count")
	}
}

// TestNothingIsReadFromAnEngineThatMakesCredentials: to read from most engines is to make something.
func TestNothingIsReadFromAnEngineThatIsNoKV(t *testing.T) {
	s := start(t)
	token := s.token(t, `path "*" { capabilities = ["read", "list"] }`)
	for _, c := range []struct{ path, key string }{{"cubbyhole", "x"}, {"sys", "mounts"}, {"identity", "entity/id"}} {
		r := ref{Store: vaultStore(s, "path", c.path, "version", "v1"), Key: c.key}
		got := ask(t, s, token, request{Refs: []ref{r}, Values: true, Key: bytes.Repeat([]byte("k"), 32)})
		if len(got.Troubles) != 1 || s.asked("GET /v1/"+c.path+"/"+c.key) != 0 {
			t.Errorf("%s: got %+v, asked for %v", c.path, got, s.paths)
		}
	}
	wrong := ref{Store: vaultStore(s, "path", "secret", "version", "v1"), Key: "data/x"}
	if got := class(t, s, token, request{Refs: []ref{wrong}, Values: true, Key: bytes.Repeat([]byte("k"), 32)}); got != "request not accepted" {
		t.Errorf("version 1 asked of an engine of version 2: %s", got)
	}
}

// What a pod names itself says nothing of what is mounted there; Vault does, to a token that may read metadata below
// the mount.
func TestWhatAPodNamesIsAskedByWhatIsMountedThere(t *testing.T) {
	s := start(t)
	s.put2(t, "apps/kv", "pod", "a")
	s.put2(t, "apps/kv", "pod", "b")
	s.put(t, "old/pod", map[string]any{"password": "a"})
	in := func(key, property string) ref {
		return ref{Store: store{Kind: "Vault", Name: "default", Provider: "vault", Fields: map[string]string{"version": "v2"}}, Key: key, Property: property}
	}
	lease, kept, first := in("apps/database/creds/shop", "password"), in("apps/kv/data/pod", "password"), in("old/pod", "password")
	token := s.token(t, metadataOnly+`path "apps/database/metadata/*" { capabilities = ["read"] }
path "old/*" { capabilities = ["read"] }`)
	if got := version(t, s, token, lease); got != "lease" {
		t.Errorf("of a lease the version is %q", got)
	}
	if got := version(t, s, token, kept); got != "2" {
		t.Errorf("of KV version 2 the version is %q", got)
	}
	if got := class(t, s, token, request{Refs: []ref{first}}); got != "store has no versions" {
		t.Errorf("of KV version 1, without permission: %s", got)
	}
	got := ask(t, s, token, request{Refs: []ref{first}, Values: true, Key: bytes.Repeat([]byte("k"), 32)})
	if len(got.Answers) != 1 || len(got.Answers[0].Digest) != 32 {
		t.Errorf("of KV version 1: %+v", got)
	}
	if engine := (ref{Store: vaultStore(s, "path", "apps/database", "version", "v1"), Key: "creds/shop"}); version(t, s, token, engine) != "lease" {
		t.Error("what an ExternalSecret reads as version 1 of KV was taken for that")
	}
	if blind := s.token(t, metadataOnly); class(t, s, blind, request{Refs: []ref{lease}}) != "permission denied" {
		t.Error("a mount that the token may not see was reported")
	}
	if n := s.asked("GET /v1/apps/database/creds/"); n != 0 {
		t.Errorf("%d credentials were made", n)
	}
	if s.asked("/data/") != s.asked("mounts/apps/kv/data/pod") {
		t.Errorf("values were read: %v", s.paths)
	}
}

func TestAppRoleLogsInOnce(t *testing.T) {
	s := start(t)
	s.token(t, metadataOnly) // makes the policy
	policy := strings.ToLower(t.Name())
	s.put(t, "auth/approle/role/render", map[string]any{"token_policies": policy})
	id, err := s.Root.Logical().ReadWithContext(t.Context(), "auth/approle/role/render/role-id")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := s.Root.Logical().WriteWithContext(t.Context(), "auth/approle/role/render/secret-id", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secret-id")
	if err := os.WriteFile(file, []byte(secret.Data["secret_id"].(string)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.put2(t, "secret", "r/a", "one")
	s.put2(t, "secret", "r/b", "one")
	rule := map[string]any{"match": map[string]any{"name": "vault"}, "addresses": []string{s.URL},
		"credentials": map[string]any{"appRole": id.Data["role_id"], "tokenFile": file}}
	refs := []ref{{Store: vaultStore(s), Key: "secret/r/a"}, {Store: vaultStore(s), Key: "secret/r/b"}}
	got := ask(t, s, "", request{Refs: refs, Rules: []map[string]any{rule}})
	if len(got.Answers) != 2 || s.asked("PUT /v1/auth/approle/login")+s.asked("POST /v1/auth/approle/login") != 1 {
		t.Errorf("got %+v, asked for %v", got, s.paths)
	}
	rule["credentials"] = map[string]any{"appRole": "wrong", "tokenFile": file}
	got = ask(t, s, "", request{Refs: refs, Rules: []map[string]any{rule}})
	if len(got.Troubles) == 0 || got.Troubles[0].Class != "credentials not accepted" {
		t.Errorf("with a wrong role: %+v", got)
	}
}

func TestAStoreThatTheOperatorDidNotListIsNotAsked(t *testing.T) {
	s := start(t)
	other := vaultStore(s, "server", strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
	if got := class(t, s, "root", request{Refs: []ref{{Store: other, Key: "secret/x"}}}); got != "address not listed by the operator" || len(s.paths) != 0 {
		t.Errorf("got %s, asked for %v", got, s.paths)
	}
}

func TestPropertiesOfOneKeyAreOneRequest(t *testing.T) {
	s := start(t)
	token := s.token(t, metadataOnly)
	s.put2(t, "secret", "slow/a", "one")
	refs := []ref{{Store: vaultStore(s), Key: "secret/slow/a", Property: "x"}, {Store: vaultStore(s), Key: "secret/slow/a", Property: "y"}}
	if got := ask(t, s, token, request{Refs: refs}); len(got.Answers) != 2 || s.asked("metadata") != 1 {
		t.Errorf("got %+v, asked for %v", got, s.paths)
	}
}

// BenchmarkAThousandReferences asks for the keys of 200 ExternalSecrets with five each, of a server that takes its
// time. What is reported is the wall time, as a multiple of: slowest call x references / parallel calls; and with the
// server's delay instead of the slowest call.
func BenchmarkAThousandReferences(b *testing.B) {
	s, err := started()
	if err != nil {
		b.Fatal(err)
	}
	const parallel, slow = 16, 20 * time.Millisecond
	var refs []ref
	for i := range 1000 {
		key := fmt.Sprintf("bench/%d", i)
		if _, err := s.Root.Logical().Write("secret/data/"+key, map[string]any{"data": map[string]any{"k": "v"}}); err != nil {
			b.Fatal(err)
		}
		refs = append(refs, ref{Store: vaultStore(s), Key: "secret/" + key})
	}
	s.mu.Lock()
	s.slow = slow
	s.mu.Unlock()
	b.ResetTimer()
	for b.Loop() {
		if got := ask(b, s, s.Root.Token(), request{Refs: refs}); len(got.Answers) != len(refs) {
			b.Fatalf("got %+v", got.Troubles)
		}
	}
	wall := float64(b.Elapsed()) / float64(b.N)
	calls := float64(len(refs)) / parallel
	b.ReportMetric(wall/(float64(s.worst)*calls), "x-slowest")
	b.ReportMetric(wall/(float64(slow)*calls), "x-delay")
}
