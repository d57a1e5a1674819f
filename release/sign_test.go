package main_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/tool"
)

// cosignProgram is cosign as it is pinned.
func cosignProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds cosign, which takes minutes the first time")
	}
	program, err := tool.Build(t.Context(), "../tools/cosign", "github.com/sigstore/cosign/v3/cmd/cosign")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// keys makes two pairs of keys, and returns the environment with their password.
func keys(t *testing.T) (dir string, env []string) {
	t.Helper()
	cosign := cosignProgram(t)
	dir, env = t.TempDir(), []string{"COSIGN_PASSWORD=a password"}
	for _, name := range []string{"ours", "theirs"} {
		command(t, dir, env, cosign, "generate-key-pair", "--output-key-prefix", name)
	}
	return dir, env
}

// small writes a release of one file.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum(t, dir)
	return dir
}

// sum writes the sums of a release of one file.
func sum(t *testing.T, dir string) {
	t.Helper()
	r, err := dist.Release{}.Add(dir, dist.Artifact{Name: "file"})
	if err := errors.Join(err, r.WriteChecksums(dir)); err != nil {
		t.Fatal(err)
	}
}

// flip changes one bit of a byte of a release's file.
func flip(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("cootent"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestASignedReleaseIsVerifiedAndAFlippedByteIsNot(t *testing.T) {
	pairs, env := keys(t)
	b := whole(t)
	ours, theirs := filepath.Join(pairs, "ours"), filepath.Join(pairs, "theirs")
	verify := []string{"verify", "-source", "..", "-key", ours + ".pub", "-out"}
	for name, c := range map[string]struct {
		change func(dir string)
		verify []string
		want   string // empty: it is verified
	}{
		"as it was signed": {func(string) {}, verify, ""},
		"a byte of a file": {func(dir string) { flip(t, dir) }, verify, "file differs from its sum"},
		"a file and its sum": {func(dir string) { flip(t, dir); sum(t, dir) }, verify,
			"checksums.txt is not what was signed"},
		"no signature": {func(dir string) { os.Remove(filepath.Join(dir, "checksums.txt.sigstore.json")) }, verify,
			"there is no signature"},
		"by another key": {func(string) {}, []string{"verify", "-source", "..", "-key", theirs + ".pub", "-out"},
			"checksums.txt is not what was signed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := small(t)
			command(t, "", env, b.release, "sign", "-source", "..", "-out", dir, "-key", ours+".key")
			c.change(dir)
			line := append(c.verify[:len(c.verify):len(c.verify)], dir)
			if c.want == "" {
				if got := command(t, "", nil, b.release, line...); !strings.Contains(got, "these are signed") {
					t.Error(got)
				}
			} else if output := refused(t, nil, b.release, line...); !strings.Contains(output, c.want) {
				t.Errorf("%s, want %q", output, c.want)
			}
		})
	}
	t.Run("what differs from its sums is not signed", func(t *testing.T) {
		dir := small(t)
		flip(t, dir)
		output := refused(t, env, b.release, "sign", "-source", "..", "-out", dir, "-key", ours+".key")
		if !strings.Contains(output, "file differs from its sum") {
			t.Error(output)
		}
	})
}

func TestAMissingKeyIsAnErrorBeforeAnythingIsDone(t *testing.T) {
	b, dir := whole(t), small(t)
	none := []string{"COSIGN_KEY="}
	sign := []string{"sign", "-source", "..", "-out", dir}
	if output := refused(t, none, b.release, sign...); !strings.Contains(output, "no signing key") {
		t.Errorf("no key: %s", output)
	}
	both := append(sign[:len(sign):len(sign)], "-keyless", "-key", "/nowhere/cosign.key")
	if output := refused(t, none, b.release, both...); !strings.Contains(output, "one of them signs") {
		t.Errorf("a key and none: %s", output)
	}
	for _, line := range [][]string{
		append(sign, "-key", "/nowhere/cosign.key"),
		{"push", "-source", "..", "-out", b.dir, "-key", "/nowhere/cosign.key", "127.0.0.1:1/x"},
	} {
		if output := refused(t, none, b.release, line...); !strings.Contains(output, "signing key: stat /nowhere/cosign.key") {
			t.Errorf("%s: %s", line[0], output)
		}
	}
}

func TestTheImageIsSignedInItsRegistry(t *testing.T) {
	pairs, env := keys(t)
	b := whole(t)
	reference := pushImage(t, b)
	unsigned := reference[:strings.LastIndex(reference, ":")]
	output := command(t, "", env, b.release, "push", "-source", "..", "-out", b.dir,
		"-key", filepath.Join(pairs, "ours.key"), unsigned+"/signed")
	_, digest, _ := strings.Cut(strings.TrimSpace(output), "@")
	verify := func(repository, key string) []string {
		return []string{"verify-image", "-source", "..", "-key", filepath.Join(pairs, key), repository + "@" + digest}
	}
	command(t, "", nil, b.release, verify(unsigned+"/signed", "ours.pub")...)
	for name, line := range map[string][]string{
		"another key": verify(unsigned+"/signed", "theirs.pub"), "not signed": verify(unsigned, "ours.pub"),
	} {
		if output := refused(t, nil, b.release, line...); !strings.Contains(output, "cosign verify") {
			t.Errorf("%s: %s", name, output)
		}
	}
}
