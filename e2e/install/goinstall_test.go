package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstallKnowsItsVersion serves the last commit as a version of the module, as the module proxy does.
func TestGoInstallKnowsItsVersion(t *testing.T) {
	needs(t, "git")
	const path = "github.com/rollstamp/rollstamp"
	v := module.Version{Path: path, Version: fmt.Sprintf("v0.1.0-test.%d", os.Getpid())}
	proxy := t.TempDir()
	dir := filepath.Join(proxy, path, "@v")
	gomod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, v.Version+".mod"), string(gomod))
	write(t, filepath.Join(dir, v.Version+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-11-22T00:00:00Z"}`, v.Version))
	write(t, filepath.Join(dir, "list"), v.Version+"\n")
	out, err := os.Create(filepath.Join(dir, v.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	clone := filepath.Join(t.TempDir(), "clone")
	run(t, top, nil, "git", "clone", "--quiet", ".", clone)
	if err := zip.CreateFromVCS(out, v, clone, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	cache := strings.TrimSpace(run(t, ".", nil, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() { // what belongs to no version that there is
		for _, left := range []string{path + "@" + v.Version, "cache/download/" + path + "/@v"} {
			_ = os.RemoveAll(filepath.Join(cache, left))
		}
	})
	bin := t.TempDir()
	// Other proxies are asked for what it requires.
	env := []string{"GOPROXY=file://" + proxy + "," + strings.TrimSpace(run(t, ".", nil, "go", "env", "GOPROXY")), "GONOSUMDB=" + path,
		"GONOPROXY=none", "GOFLAGS=-trimpath -modcacherw", "GOBIN=" + bin, "CGO_ENABLED=0"}
	run(t, proxy, env, "go", "install", path+"/cmd/rollstamp@"+v.Version)
	if got := run(t, proxy, nil, filepath.Join(bin, "rollstamp"), "--version"); !strings.HasPrefix(got, "rollstamp "+v.Version+"\n") {
		t.Errorf("it prints\n%s", got)
	}
}
