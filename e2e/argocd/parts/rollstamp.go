package parts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var built = sync.OnceValues(buildRollstamp)

// Rollstamp is the path of our program: $ROLLSTAMP, or a build of the checkout, made once for each run of tests.
func Rollstamp(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("ROLLSTAMP"); path != "" {
		return path
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// buildRollstamp builds as releases do.
func buildRollstamp() (string, error) {
	root, err := checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Join(dir, "rollstamp"), install(dir, "rollstamp", func(part string) error {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, "./cmd/rollstamp")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build rollstamp: %w\n%s", err, out)
		}
		return nil
	})
}

// checkout is the root of our repository: this module lies two folders below it.
func checkout() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(strings.TrimSpace(string(out))))), nil
}

// Checkout is the root of our repository.
func Checkout(t testing.TB) string {
	t.Helper()
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	return root
}
