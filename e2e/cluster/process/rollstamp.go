package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
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

// buildRollstamp builds both programs as releases do, beside each other: one decrypts for the other.
func buildRollstamp() (string, error) {
	root, err := folder.Checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e")
	for _, name := range []string{"rollstamp-stores", "rollstamp"} {
		if err := folder.Install(dir, name, func(part string) error {
			cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, "./cmd/"+name)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("build %s: %w\n%s", name, err, out)
			}
			return nil
		}); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "rollstamp"), nil
}
