package parts

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/util/cmp"
)

// argoModule is Argo CD's module in the name of a file of its source, with the version.
var argoModule = regexp.MustCompile(`github\.com/argoproj/argo-cd/v3@v[^/]+`)

// Source is the folder with the source of the Argo CD that this test binary has in it, of whichever go.mod.
func Source(t testing.TB) string {
	t.Helper()
	file, _ := runtime.FuncForPC(reflect.ValueOf(cmp.SendRepoStream).Pointer()).FileLine(0)
	module := argoModule.FindString(filepath.ToSlash(file))
	if module == "" {
		t.Fatalf("%s is no file of Argo CD's module", file)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatalf("find Argo CD's source: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(cache)), filepath.FromSlash(module))
}
