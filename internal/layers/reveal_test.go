package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayReveal are the packages that take the bytes out of a redact.Secret: what decodes content, what hashes it, and the
// type itself; what logs in at a registry; what builds and substitutes with what is decrypted for Flux, in memory; and
// what copies values into fields, where that is permitted.
var mayReveal = []string{"flux/artifact", "flux/build", "flux/substitute", "flux/values", "hashing", "redact", "shape",
	"sources/decrypt/sops", "sources/objects", "sources/remote"}

func TestOnlyDecodersAndTheHashRevealSecrets(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	cmd := exec.Command("git", "ls-files", "*.go")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for name := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if pkg := filepath.ToSlash(filepath.Dir(name)); strings.Contains(string(text), ".Reveal()") || strings.Contains(string(text), ") Reveal()") {
			found[pkg] = true
			if !slices.Contains(mayReveal, pkg) {
				t.Errorf("%s reveals a secret", name)
			}
		}
	}
	for _, pkg := range mayReveal {
		if !found[pkg] {
			t.Errorf("%s reveals nothing any more: take it off the list", pkg)
		}
	}
}
