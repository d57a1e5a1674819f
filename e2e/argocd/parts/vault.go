package parts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// Vault is a real Vault that listens, with kv version 2 at secret.
type Vault struct {
	*process.Process
	Address, Token string
	Client         string // a program that takes "kv put", as Vault's own does
}

var vaultProgram, storesProgram = sync.OnceValues(buildVault), sync.OnceValues(buildStores)

// StartVault starts the Vault that e2e/vault has.
func StartVault(t testing.TB) *Vault {
	t.Helper()
	program, err := vaultProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	in, err := cmd.StdinPipe() // it ends when nobody holds this any more
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	v := &Vault{Process: process.Run(t, "vault", cmd), Client: program}
	v.Until(t, "it listens", func() bool {
		line, _, whole := strings.Cut(v.Log(), "\n")
		_, err := fmt.Sscan(line, &v.Address, &v.Token)
		return whole && err == nil
	})
	return v
}

// Environ is what a client of the Vault finds it by.
func (v *Vault) Environ() []string {
	return []string{"VAULT_ADDR=" + v.Address, "VAULT_TOKEN=" + v.Token}
}

// Put writes a new version of a key of secret.
func (v *Vault) Put(t testing.TB, key string, pairs ...string) {
	t.Helper()
	cmd := exec.Command(v.Client, append([]string{"kv", "put", "secret/" + key}, pairs...)...)
	cmd.Env = append(os.Environ(), v.Environ()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("write %s: %v\n%s", key, err, out)
	}
}

// Stores is the path of the program that asks stores, which lies beside ours.
func Stores(t testing.TB) string {
	t.Helper()
	path, err := storesProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func buildVault() (string, error) { return buildAt("e2e/vault", "vault", "./run") }
func buildStores() (string, error) {
	return buildAt(".", "rollstamp-stores", "./cmd/rollstamp-stores")
}

// buildAt builds a program of a module in the checkout.
func buildAt(module, name, pkg string) (string, error) {
	root, err := folder.Checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Join(dir, name), folder.Install(dir, name, func(part string) error {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, pkg)
		cmd.Dir = filepath.Join(root, filepath.FromSlash(module))
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
		return nil
	})
}
