package parts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// AgeKey is a new age identity, and the real sops that encrypts for it.
type AgeKey struct{ identity, recipient string }

// sopsProgram is the sops that e2e/secrets pins.
var sopsProgram = sync.OnceValues(func() (string, error) { return tool("secrets", "sops") })

// tool builds a tool that a module's go.mod names, and returns its path.
func tool(module, name string) (string, error) {
	root, err := folder.Checkout()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "tool", "-n", name)
	cmd.Dir = filepath.Join(root, "e2e", module)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// NewAgeKey generates a key.
func NewAgeKey(t testing.TB) *AgeKey {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return &AgeKey{identity: identity.String(), recipient: identity.Recipient().String()}
}

// Environ is where sops, and whoever decrypts as it does, finds the key.
func (k *AgeKey) Environ() []string { return []string{"SOPS_AGE_KEY=" + k.identity} }

// Secret is the manifest of the Secret sops-age in a namespace, by which a Kustomization decrypts.
func (k *AgeKey) Secret(namespace string) string {
	data, err := json.Marshal(k.identity)
	if err != nil {
		panic(err) // a string
	}
	return `{apiVersion: v1, kind: Secret, metadata: {name: sops-age, namespace: ` + namespace + `}, stringData: {age.agekey: ` + string(data) + `}}`
}

// Encrypt encrypts a file in place.
func (k *AgeKey) Encrypt(t testing.TB, path string, flags ...string) {
	t.Helper()
	k.sops(t, append(append([]string{"encrypt", "--in-place", "--age", k.recipient}, flags...), path)...)
}

// Set changes one value of an encrypted file, as sops set does; index is like ["data"]["key"].
func (k *AgeKey) Set(t testing.TB, path, index, value string) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	k.sops(t, "set", path, index, string(text))
}

// Decrypt decrypts an object. Whoever has added labels to it has not changed the code over its values.
func (k *AgeKey) Decrypt(t testing.TB, o cluster.Object) cluster.Object {
	t.Helper()
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder.Empty(t), "object.yaml")
	folder.WriteFile(t, path, string(text))
	k.sops(t, "decrypt", "--in-place", "--ignore-mac", path)
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return cluster.Parse(t, text)[0]
}

func (k *AgeKey) sops(t testing.TB, args ...string) {
	t.Helper()
	program, err := sopsProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "SOPS_DISABLE_VERSION_CHECK=1"}, k.Environ()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sops %v: %v\n%s", args, err, out)
	}
}
