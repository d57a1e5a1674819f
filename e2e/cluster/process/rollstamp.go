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

// buildRollstamp builds as releases do.
func buildRollstamp() (string, error) {
	root, err := folder.Checkout()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "e2e")
	return filepath.Join(dir, "rollstamp"), folder.Install(dir, "rollstamp", func(part string) error {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, "./cmd/rollstamp")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build rollstamp: %w\n%s", err, out)
		}
		return nil
	})
}
