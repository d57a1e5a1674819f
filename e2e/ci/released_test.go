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
		sha256  string // "right" for the archive's, "CAPITALS" for the same in capitals
		change  func(*releases)
		says    string // of what fails
	}{
		"by checksums.txt":            {version: "v1.2.3"},
		"without a v":                 {version: "1.2.3"},
		"by a sum of one's own":       {version: "v1.2.3", sha256: "right", change: func(r *releases) { delete(r.files, "checksums.txt") }},
		"a flipped byte":              {version: "v1.2.3", change: func(r *releases) { r.files[archiveName()][100] ^= 1 }, says: "and must be"},
		"a sum in capitals":           {version: "v1.2.3", sha256: "CAPITALS"},
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
			pinned := strings.NewReplacer("right", sum, "CAPITALS", strings.ToUpper(sum)).Replace(c.sha256)
			env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + cache, "ROLLSTAMP_SHA256=" + pinned}
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

func TestACachedProgramIsNotTakenForAnother(t *testing.T) {
	needs(t, "bash", "curl")
	r, url, sum := release(t)
	cache := t.TempDir()
	folder := func(env ...string) (string, error) {
		env = append([]string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + cache}, env...)
		return shell(t, top, "scripts/programs v1.2.3 2> "+filepath.Join(cache, "said")+" || { cat "+filepath.Join(cache, "said")+"; exit 1; }", env...)
	}
	first, err := folder()
	if err != nil {
		t.Fatalf("%v\n%s", err, first)
	}
	if out, err := folder("ROLLSTAMP_SHA256=" + strings.Repeat("f", 64)); err == nil || !strings.Contains(out, "and must be ffff") {
		t.Errorf("another sum than that of the cached program: %v\n%s", err, out)
	}
	if out, err := folder("ROLLSTAMP_SHA256=" + sum); err != nil || out == first {
		t.Errorf("the right sum: %v\n%s", err, out)
	}
	other := strings.Replace(url, "127.0.0.1", "localhost", 1)
	if out, err := folder("ROLLSTAMP_RELEASES=" + other); err != nil || out == first {
		t.Errorf("another source: %v\n%s", err, out)
	}
	program := filepath.Join(strings.TrimSpace(first), "rollstamp")
	write(t, program, "#!/bin/sh\necho something else\n")
	calls := len(r.calls)
	if out, err := folder(); err != nil || out != first || len(r.calls) == calls {
		t.Errorf("a program that was changed in the cache: %v\n%s", err, out)
	}
	if out, err := shell(t, top, program+" version"); err != nil || !strings.HasPrefix(out, "rollstamp ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// source writes a commit of a small program with the scripts, whose changelog has 1.2.3 as its newest release.
func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"scripts/programs", "scripts/hook"} {
		write(t, filepath.Join(dir, name), text(t, filepath.Join(top, name)))
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/small\n\ngo 1.26.0\n")
	write(t, filepath.Join(dir, "cmd/rollstamp/main.go"), "package main\n\nfunc main() { println(\"built here\") }\n")
	write(t, filepath.Join(dir, "CHANGELOG.md"), "# Changes\n\n## 1.2.3 (2026-11-22)\n\n## 1.2.2\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "release 1.2.3")
	return dir
}

// builtFrom adds the provenance to a release: it was built from a commit.
func (r *releases) builtFrom(revision string) {
	provenance := fmt.Sprintf("{\n  \"digest\": {\n    \"gitCommit\": %q\n  }\n}\n", revision)
	r.files["provenance.intoto.json"] = []byte(provenance)
	r.files["checksums.txt"] = fmt.Appendf(r.files["checksums.txt"], "%x  provenance.intoto.json\n", sha256.Sum256([]byte(provenance)))
}

func TestACheckoutRunsTheReleaseThatItIs(t *testing.T) {
	needs(t, "bash", "curl", "git")
	r, url, _ := release(t)
	dir := source(t)
	revision := git(t, dir, "rev-parse", "HEAD")
	r.builtFrom(revision)
	// As in a hook of 'git commit -a', in which Git names the repository and index of the commit.
	apps := repository(t)
	env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + t.TempDir(), "GIT_DIR=" + filepath.Join(apps, ".git"),
		"GIT_INDEX_FILE=" + filepath.Join(apps, ".git/index")}
	out, err := shell(t, apps, "'"+dir+"/scripts/hook' stamp apps/shop/app.yaml", env...)
	if err != nil || !strings.Contains(out, "checksum.rollstamp.dev/configmap.settings: v1-") {
		t.Errorf("%v, after %v\n%s", err, r.calls, out)
	}
	// GitHub's copy of an action has no history.
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	out, err = shell(t, dir, "scripts/programs", "ROLLSTAMP_RELEASES="+url, "ROLLSTAMP_CACHE_DIR="+t.TempDir(), "ROLLSTAMP_REVISION="+revision)
	if err != nil || strings.Contains(out, "built") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestASourceThatIsNoReleaseIsBuiltAndSaysSo(t *testing.T) {
	needs(t, "bash", "curl", "git", "go")
	r, url, sum := release(t)
	dir := source(t)
	r.builtFrom(git(t, dir, "rev-parse", "HEAD"))
	run := func(env ...string) (string, error) {
		env = append([]string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + t.TempDir()}, env...)
		return shell(t, dir, "folder=$(scripts/programs); $folder/rollstamp; ls $folder", env...)
	}
	for _, c := range []struct {
		name   string
		change func()
		env    []string
		want   []string // empty: it is an error
		says   string
	}{
		{name: "no network", env: []string{"ROLLSTAMP_RELEASES=http://127.0.0.1:1"}, want: []string{"release 1.2.3 could not be taken", "built here"}},
		{name: "no network, and a sum", env: []string{"ROLLSTAMP_RELEASES=http://127.0.0.1:1", "ROLLSTAMP_SHA256=" + sum},
			says: "release 1.2.3 could not be had from http://127.0.0.1:1"},
		{name: "changed files", change: func() { write(t, filepath.Join(dir, "new.go"), "package small\n") },
			want: []string{"this source is no release", "built here"}},
		{name: "a later commit", change: func() {
			git(t, dir, "add", ".")
			git(t, dir, "commit", "-q", "-m", "after the release")
		}, want: []string{"release 1.2.3 is another commit than", "release 1.2.3 could not be taken", "built here"}},
		{name: "before a release", change: func() {
			write(t, filepath.Join(dir, "CHANGELOG.md"), "# Changes\n\n## 1.3.0 (unreleased)\n\n## 1.2.3 (2026-11-22)\n")
			git(t, dir, "commit", "-q", "-a", "-m", "begin 1.3.0")
		}, want: []string{"this source is no release", "built here"}},
		{name: "before a release, and a sum", env: []string{"ROLLSTAMP_SHA256=" + sum}, says: "is no release: name the release"},
	} {
		if c.change != nil {
			c.change()
		}
		out, err := run(c.env...)
		if (err == nil) != (c.says == "") || !strings.Contains(out, c.says) {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) || strings.Contains(out, "rollstamp-stores") {
				t.Errorf("%s: want %q:\n%s", c.name, want, out)
			}
		}
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
	here, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	copied := source(t) // as GitHub hands an action over: without its history
	revision := git(t, copied, "rev-parse", "HEAD")
	r.builtFrom(revision)
	if err := os.RemoveAll(filepath.Join(copied, ".git")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ version, ref, path string }{
		{"", "v1.2.3", here}, {"v1.2.3", "main", here}, {"1.2.3", "v9.9.9", here}, {"", revision, copied},
	} {
		tmp := t.TempDir()
		values := strings.NewReplacer("${{ inputs.rollstamp }}", "", "${{ inputs.version }}", c.version, "${{ inputs.sha256 }}", "",
			"${{ github.action_ref }}", c.ref)
		env := []string{"GITHUB_OUTPUT=" + filepath.Join(tmp, "outputs"), "RUNNER_TEMP=" + tmp, "GITHUB_ACTION_PATH=" + c.path, "ROLLSTAMP_RELEASES=" + url}
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
