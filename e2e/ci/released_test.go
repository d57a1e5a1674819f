package ci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// releases is a server of releases with one, of the version 1.2.3 and for this platform, with the real program in it.
type releases struct {
	files map[string][]byte
	calls []string
}

func (r *releases) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name, ok := strings.CutPrefix(req.URL.Path, "/v1.2.3/")
	r.calls = append(r.calls, req.URL.Path)
	text := r.files[name]
	if !ok || text == nil {
		http.NotFound(w, req)
		return
	}
	_, _ = w.Write(text)
}

func archiveName() string {
	return fmt.Sprintf("rollstamp_1.2.3_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
}

var packing sync.Mutex
var packed []byte

// pack returns an archive with the real program, which is made once.
func pack(t *testing.T) []byte {
	t.Helper()
	packing.Lock()
	defer packing.Unlock()
	if packed != nil {
		return packed
	}
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zipped)
	content := []byte(text(t, filepath.Join(program(t), "rollstamp")))
	if err := archive.WriteHeader(&tar.Header{Name: "rollstamp", Mode: 0o755, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	packed = out.Bytes()
	return packed
}

// release returns a server of releases, its address and the sum of its archive.
func release(t *testing.T) (r *releases, url, sum string) {
	t.Helper()
	archive := slices.Clone(pack(t))
	hash := sha256.Sum256(archive)
	sum = hex.EncodeToString(hash[:])
	r = &releases{files: map[string][]byte{
		archiveName():   archive,
		"checksums.txt": []byte(strings.Repeat("0", 64) + "  other.tar.gz\n" + sum + "  " + archiveName() + "\n"),
	}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, server.URL, sum
}

func TestAReleasedProgramIsTakenByItsSumOnly(t *testing.T) {
	needs(t, "bash", "curl")
	wrong := strings.Repeat("f", 64)
	for name, c := range map[string]struct {
		version string
		sha256  string // "right" for the archive's
		change  func(*releases)
		says    string // of what fails
	}{
		"by checksums.txt":            {version: "v1.2.3"},
		"without a v":                 {version: "1.2.3"},
		"by a sum of one's own":       {version: "v1.2.3", sha256: "right", change: func(r *releases) { delete(r.files, "checksums.txt") }},
		"a flipped byte":              {version: "v1.2.3", change: func(r *releases) { r.files[archiveName()][100] ^= 1 }, says: "and must be"},
		"another sum":                 {version: "v1.2.3", sha256: wrong, says: "and must be " + wrong},
		"not in checksums.txt":        {version: "v1.2.3", change: func(r *releases) { r.files["checksums.txt"] = []byte(wrong + "  x\n") }, says: "release 1.2.3 has no " + archiveName()},
		"no such version":             {version: "v9.9.9", says: "release 9.9.9 could not be had"},
		"checksums.txt but no others": {version: "v1.2.3", change: func(r *releases) { delete(r.files, archiveName()) }, says: "release 1.2.3 could not be had"},
	} {
		t.Run(name, func(t *testing.T) {
			r, url, sum := release(t)
			if c.change != nil {
				c.change(r)
			}
			cache := t.TempDir()
			env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + cache, "ROLLSTAMP_SHA256=" + strings.Replace(c.sha256, "right", sum, 1)}
			out, err := shell(t, top, "folder=$(scripts/programs "+c.version+"); $folder/rollstamp version", env...)
			if left, _ := filepath.Glob(filepath.Join(cache, "programs", "*")); (err == nil) != (len(left) == 1) {
				t.Errorf("the cache holds %v after %v", left, err)
			}
			if c.says != "" {
				if err == nil || !strings.Contains(out, c.says) {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			if err != nil || !strings.HasPrefix(out, "rollstamp ") {
				t.Fatalf("%v\n%s", err, out)
			}
			calls := len(r.calls)
			if out, err := shell(t, top, "scripts/programs "+c.version, env...); err != nil || len(r.calls) != calls {
				t.Errorf("the second time it is downloaded again: %v, %v\n%s", err, r.calls[calls:], out)
			}
		})
	}
}

func TestACheckoutRunsTheReleaseThatItIs(t *testing.T) {
	needs(t, "bash", "curl")
	r, url, _ := release(t)
	dir := t.TempDir()
	for _, name := range []string{"scripts/programs", "scripts/hook"} {
		write(t, filepath.Join(dir, name), text(t, filepath.Join(top, name)))
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "CHANGELOG.md"), "# Changes\n\n## 1.2.3 (2026-11-22)\n\n## 1.2.2\n")
	env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + t.TempDir()}
	out, err := shell(t, repository(t), "'"+dir+"/scripts/hook' stamp apps/shop/app.yaml", env...)
	if err != nil || !strings.Contains(out, "checksum.rollstamp.dev/configmap.settings: v1-") {
		t.Errorf("%v, after %v\n%s", err, r.calls, out)
	}
}

func TestTheActionTakesTheReleaseThatItIsUsedBy(t *testing.T) {
	needs(t, "bash", "curl")
	var a action
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(top, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	step := a.Runs.Steps[0]
	r, url, _ := release(t)
	for _, c := range []struct{ version, ref string }{{"", "v1.2.3"}, {"v1.2.3", "main"}, {"1.2.3", "v9.9.9"}} {
		tmp := t.TempDir()
		values := strings.NewReplacer("${{ inputs.rollstamp }}", "", "${{ inputs.version }}", c.version, "${{ inputs.sha256 }}", "",
			"${{ github.action_ref }}", c.ref)
		here, err := filepath.Abs(top)
		if err != nil {
			t.Fatal(err)
		}
		env := []string{"GITHUB_OUTPUT=" + filepath.Join(tmp, "outputs"), "RUNNER_TEMP=" + tmp, "GITHUB_ACTION_PATH=" + here, "ROLLSTAMP_RELEASES=" + url}
		for name, value := range step.Env {
			env = append(env, name+"="+values.Replace(value))
		}
		if out, err := shell(t, tmp, step.Run, env...); err != nil {
			t.Fatalf("%+v: %v, after %v\n%s", c, err, r.calls, out)
		}
		path, ok := strings.CutPrefix(strings.TrimSpace(text(t, filepath.Join(tmp, "outputs"))), "rollstamp="+tmp)
		if out, err := shell(t, tmp, tmp+path+" --version"); !ok || err != nil || !strings.HasPrefix(out, "rollstamp ") {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}
