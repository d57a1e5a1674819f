package vault

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const application = `apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {vault: {server: "SERVER", path: secret, version: v2, auth: {tokenSecretRef: {name: t, key: t}}}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  data:
  - {secretKey: password, remoteRef: {key: rotation/db, property: password}}
  - {secretKey: old, remoteRef: {key: rotation/none, version: "1"}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: team}
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: vault}
  dataFrom: [{find: {path: rotation, name: {regexp: "^rotation/team-"}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: db}}]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: team}}]}]}}}
`

// rollstamp runs the program in a folder and returns what it prints, and how it ended.
func rollstamp(t *testing.T, s *server, token, dir string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs(t), "rollstamp"), args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "VAULT_ADDR=" + s.URL, "VAULT_TOKEN=" + token}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if strings.Contains(stdout.String()+stderr.String(), canary) {
		t.Errorf("%v shows the value:\n%s%s", args, stdout.String(), stderr.String())
	}
	if cmd.ProcessState.ExitCode() > 1 {
		t.Logf("%v: %s", args, stderr.String())
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}

const canary = "canary-f2d9"

// digestsOf returns the digests of a render by the name of the Secret.
func digestsOf(t *testing.T, out string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`checksum\.rollstamp\.dev/secret\.([a-z]+): (v1k?-[0-9a-f]{16})`).FindAllStringSubmatch(out, -1) {
		found[m[1]] = m[2]
	}
	if len(found) != 2 {
		t.Fatalf("digests are %v in\n%s", found, out)
	}
	return found
}

func TestARotationMovesTheDigestOfItsConsumersAlone(t *testing.T) {
	s := start(t)
	token := s.token(t, metadataOnly)
	for _, key := range []string{"db", "team-a", "team-b", "other"} {
		s.put2(t, "secret", "rotation/"+key, canary)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(strings.ReplaceAll(application, "SERVER", s.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		out, code := rollstamp(t, s, token, dir, args...)
		if code != want {
			t.Fatalf("%v ended with %d, want %d:\n%s", args, code, want, out)
		}
		return out
	}
	spec := digestsOf(t, run(0, "render"))
	if len(s.paths) > 0 {
		t.Errorf("under the policy spec it asked for %v", s.paths)
	}
	live := run(0, "render", "--secrets", "live", "--allow", "stores")
	run(0, "lock", "--allow", "stores")
	asked := len(s.paths)
	locked := run(0, "render", "--secrets", "lock")
	if locked != live || len(s.paths) != asked {
		t.Error("locked it is not what it is live, or the store was asked")
	}
	before := digestsOf(t, live)
	for name := range before {
		if before[name] == spec[name] {
			t.Errorf("the digest of %s is that of the spec", name)
		}
	}
	s.put2(t, "secret", "rotation/other", canary)
	if got := run(0, "render", "--secrets", "live", "--allow", "stores"); got != live {
		t.Error("a key that nobody reads counts")
	}
	s.put2(t, "secret", "rotation/db", canary+"2")
	after := digestsOf(t, run(0, "render", "--secrets", "live", "--allow", "stores"))
	if after["db"] == before["db"] || after["team"] != before["team"] {
		t.Errorf("after a rotation: %v, before %v", after, before)
	}
	if got := run(0, "render", "--secrets", "lock"); got != locked {
		t.Error("the lock moved by itself")
	}
	if out := run(1, "lock", "--check", "--allow", "stores"); !strings.Contains(out, "rotation/db version 1 -> version 2") || !strings.Contains(out, "restarts Deployment web") || strings.Contains(out, "worker") {
		t.Errorf("behind is\n%s", out)
	}
	s.put2(t, "secret", "rotation/team-c", canary)
	if out := run(1, "lock", "--check", "--allow", "stores"); !strings.Contains(out, "restarts Deployment worker") {
		t.Errorf("behind is\n%s", out)
	}
	run(0, "lock", "--allow", "stores")
	if got := run(0, "render", "--secrets", "lock"); got != run(0, "render", "--secrets", "live", "--allow", "stores") {
		t.Error("locked it is not what it is live")
	}
	run(0, "lock", "--check", "--allow", "stores")
	if s.asked("/data/") != 0 {
		t.Errorf("values were read: %v", s.paths)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "rollstamp.lock")); err != nil || strings.Contains(string(text), canary) {
		t.Errorf("the lock is %s, %v", text, err)
	}
	if err := s.Root.KVv2("secret").Delete(t.Context(), "rotation/db"); err != nil {
		t.Fatal(err)
	}
	if out := run(4, "render", "--secrets", "live", "--allow", "stores"); out != "" {
		t.Errorf("printed\n%s", out)
	}
}
