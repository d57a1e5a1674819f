package stack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

// signer signs artifacts with the real cosign, by a key and without a transparency log, which is on the network.
type signer struct{ cosign, dir string }

const signerName = "cosign-pub"

// newSigner makes a key; nil where cosign is not on this machine, and nothing is signed and verified.
func newSigner(t *testing.T) *signer {
	t.Helper()
	path, err := exec.LookPath("cosign")
	if err != nil {
		t.Log("no cosign on this machine: artifacts are not signed")
		return nil
	}
	s := &signer{path, folder.Empty(t)}
	folder.WriteFile(t, filepath.Join(s.dir, "signing.json"),
		`{"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json", "rekorTlogConfig": {}, "tsaConfig": {}}`)
	s.run(t, "generate-key-pair")
	return s
}

func (s *signer) run(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(s.cosign, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "HOME="+s.dir, "COSIGN_PASSWORD=of-the-test")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cosign %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// secret is the public key, as Flux wants it.
func (s *signer) secret(t *testing.T) string {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(s.dir, "cosign.pub"))
	if err != nil {
		t.Fatal(err)
	}
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + signerName + ", namespace: " + parts.System + "}\n" +
		"stringData:\n  cosign.pub: |\n    " + strings.ReplaceAll(strings.TrimSpace(string(key)), "\n", "\n    ") + "\n"
}

// sign signs what was published, by the name that push prints.
func (s *stack) sign(t *testing.T, artifact string) {
	t.Helper()
	if s.signer != nil {
		s.signer.run(t, "sign", "--key", "cosign.key", "--signing-config", "signing.json", "--yes", artifact)
	}
}

// refusesUnsigned shows that what nobody signed is not taken where a signature is asked for.
func (s *stack) refusesUnsigned(t *testing.T, verify string) {
	t.Helper()
	s.command(t, process.Rollstamp(t), []int{0},
		"flux", "push", "oci://"+s.Registry.Host+"/unsigned", "clusters/prod", "--as", "flux")
	o := cluster.Parse(t, []byte(s.ociRepository("unsigned", "unsigned", verify)))[0]
	s.CreateObject(t, o)
	s.AwaitFailure(t, o, "no matching signatures were found")
}
