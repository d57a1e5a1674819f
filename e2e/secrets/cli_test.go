package secrets

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// programs builds rollstamp and rollstamp-stores side by side, once.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rollstamp")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", dir+"/", "./cmd/rollstamp", "./cmd/rollstamp-stores")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// rollstamp runs the real program in a folder and returns what it prints.
func rollstamp(t *testing.T, dir string, env []string, args ...string) (out, errs string, exit int) {
	t.Helper()
	programs, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "rollstamp"), args...)
	cmd.Dir, cmd.Env = dir, append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - name: c
        env:
        - {name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}
        - {name: B, valueFrom: {secretKeyRef: {name: db, key: user}}}
`

const inClear = "apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: shop}\nstringData: {password: hunter2, user: app, notes: x}\n"

var stamped = regexp.MustCompile(`checksum\.rollstamp\.dev/secret\.db: (\S+)`)

// folder holds a workload, a hash key, and other files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["web.yaml"], files["hash-key"] = workload, "sixteen bytes or more"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// digest stamps the workload with a manifest beside it.
func digest(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, errs, exit := rollstamp(t, dir, env, append([]string{"stamp", "web.yaml"}, args...)...)
	found := stamped.FindStringSubmatch(out)
	if exit != 0 || found == nil {
		t.Fatalf("%v: exit code %d\n%s\n%s", args, exit, errs, out)
	}
	return found[1]
}

func sealedSecret(t *testing.T, c controller, namespace string, data map[string]string) string {
	t.Helper()
	return string(text(t, c.seal(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: namespace}, StringData: data})))
}

var values = map[string]string{"password": "hunter2", "user": "app", "notes": "x"}

// TestSealingAgainRestartsNothingWithTheKeys is what the keys are given for.
func TestSealingAgainRestartsNothingWithTheKeys(t *testing.T) {
	c := newController(t, 2)
	keys, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"password": "hunter3", "user": "app", "notes": "x"}
	aside := map[string]string{"password": "hunter2", "user": "app", "notes": "y"}
	dir := folder(t, map[string]string{
		"keys": string(keys), "first.yaml": sealedSecret(t, c, "shop", values), "again.yaml": sealedSecret(t, c, "shop", values),
		"other.yaml": sealedSecret(t, c, "shop", other), "aside.yaml": sealedSecret(t, c, "shop", aside), "clear.yaml": inClear,
		"moved.yaml": strings.ReplaceAll(sealedSecret(t, c, "test", values), "namespace: test", "namespace: shop"),
	})
	open := []string{"--sealing-key-file", "keys", "--hash-key-file", "hash-key"}
	of := func(file string, args ...string) string {
		return digest(t, dir, nil, append([]string{file}, args...)...)
	}
	first := of("first.yaml", open...)
	if !strings.HasPrefix(first, "v1k-") {
		t.Errorf("the digest %s is not keyed", first)
	}
	if again := of("again.yaml", open...); again != first {
		t.Errorf("sealed again: %s, not %s", again, first)
	}
	if aside := of("aside.yaml", open...); aside != first {
		t.Errorf("a key that is not consumed: %s, not %s", aside, first)
	}
	if clear := of("clear.yaml", open...); clear != first {
		t.Errorf("the same Secret in clear: %s, not %s", clear, first)
	}
	if other := of("other.yaml", open...); other == first {
		t.Error("another password has the same digest")
	}
	if a, b := of("first.yaml"), of("again.yaml"); a == b {
		t.Error("without the keys the ciphertext counts")
	}
	for name, c := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"without a hash key":          {[]string{"first.yaml", "--sealing-key-file", "keys"}, 2, "needs a hash key"},
		"from another namespace":      {append([]string{"moved.yaml"}, open...), 3, "SealedSecret shop/db"},
		"with a key file that is not": {[]string{"first.yaml", "--sealing-key-file", "none"}, 2, "none: no such file"},
		"with a file that is no key":  {[]string{"first.yaml", "--sealing-key-file", "hash-key"}, 2, "no RSA private key"},
	} {
		out, errs, exit := rollstamp(t, dir, nil, append([]string{"stamp", "web.yaml"}, c.args...)...)
		if out != "" || exit != c.exit || !strings.Contains(errs, c.says) || !strings.Contains(errs, "hint: ") {
			t.Errorf("%s: exit code %d, %q\n%s", name, exit, out, errs)
		}
	}
}

// TestWhatSOPSDoesRestartsNothingWithTheKeys goes through the other program.
func TestWhatSOPSDoesRestartsNothingWithTheKeys(t *testing.T) {
	c := newCommand(t)
	first := c.encrypted(t, usual)
	c.run(t, "rotate", "-i", "secret.yaml")
	rotated := c.read(t, "secret.yaml")
	c.run(t, "set", "secret.yaml", `["stringData"]["user"]`, `"web"`)
	changed := c.read(t, "secret.yaml")
	c.run(t, "set", "secret.yaml", `["stringData"]["user"]`, `"app"`)
	dir := folder(t, map[string]string{
		"age": string(c.key.Reveal()), "first.yaml": first, "rotated.yaml": rotated, "changed.yaml": changed, "clear.yaml": plain,
		"kustomization.yaml": "resources: [web.yaml, first.yaml]\n", "policy/policy.yaml": "sops: {mac: ignore}\n",
	})
	env := []string{"SOPS_AGE_KEY_FILE=" + filepath.Join(dir, "age")}
	open := []string{"--open-sops", "--hash-key-file", "hash-key"}
	of := func(file string, args ...string) string {
		return digest(t, dir, env, append([]string{file}, args...)...)
	}
	want := of("clear.yaml", open...)
	for _, file := range []string{"first.yaml", "rotated.yaml"} {
		if got := of(file, open...); got != want {
			t.Errorf("%s: %s, and %s in clear", file, got, want)
		}
	}
	if of("changed.yaml", open...) == want {
		t.Error("another value has the same digest")
	}
	if of("first.yaml") == of("rotated.yaml") {
		t.Error("without the keys the ciphertext counts")
	}
	policy := filepath.Join(t.TempDir(), "policy.yaml") // not in the tree
	if err := os.WriteFile(policy, []byte("sops: {mac: ignore}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, exit := rollstamp(t, dir, append(env, "ROLLSTAMP_POLICY="+policy), "render", ".", "--as", "kustomize", "--hash-key-file", "hash-key")
	if found := stamped.FindStringSubmatch(out); exit != 0 || found == nil || found[1] != want {
		t.Errorf("a kustomization: exit code %d, %v, want %s\n%s", exit, found, want, errs)
	}
	for name, c := range map[string]struct {
		env  []string
		args []string
		exit int
		says string
	}{
		"a kustomization with the code checked": {env, append([]string{"render", ".", "--as", "kustomize"}, open...), 3, "authentication code"},
		"without a key":                         {nil, append([]string{"stamp", "web.yaml", "first.yaml"}, open...), 3, "no key at hand"},
		"without a hash key":                    {env, []string{"stamp", "web.yaml", "first.yaml", "--open-sops"}, 2, "needs a hash key"},
		"without the other program":             {append([]string{"ROLLSTAMP_STORES=/none"}, env...), append([]string{"stamp", "web.yaml", "first.yaml"}, open...), 2, "/none"},
	} {
		out, errs, exit := rollstamp(t, dir, c.env, c.args...)
		if out != "" || exit != c.exit || !strings.Contains(errs, c.says) || !strings.Contains(errs, "hint: ") || strings.Contains(errs, "hunter2") {
			t.Errorf("%s: exit code %d, %q\n%s", name, exit, out, errs)
		}
	}
}
