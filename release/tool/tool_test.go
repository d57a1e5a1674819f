package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/tool"
)

func TestAToolThatCannotBeDownloadedIsAnErrorAndLeavesNothing(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("GOCACHE", filepath.Join(cache, "go"))
	t.Setenv("GOMODCACHE", filepath.Join(cache, "modules"))
	t.Setenv("GOPROXY", "http://127.0.0.1:1")
	t.Setenv("GOTOOLCHAIN", "local")
	_, err := tool.Build(t.Context(), "../../tools/govulncheck", "golang.org/x/vuln/cmd/govulncheck")
	if err == nil || !strings.Contains(err.Error(), "build govulncheck: ") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v", err)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "rollstamp-tools", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
