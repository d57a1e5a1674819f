package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// draftScript is the step of the workflow that makes the draft.
func draftScript(t *testing.T) string {
	t.Helper()
	workflow := read(t, "../.github/workflows/release.yml")
	m := regexp.MustCompile(`(?s)\n    - name: draft\n.*?\n      run: \|\n(.*?)\n  \w`).FindStringSubmatch(workflow)
	if m == nil {
		t.Fatal("the workflow has no step that makes the draft")
	}
	return strings.ReplaceAll("\n"+m[1], "\n        ", "\n")
}

// executable writes a script.
func executable(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/usr/bin/env bash\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// publish runs the step that makes the draft. What it uploads lands in one folder, as on the page of a release.
func publish(t *testing.T, b built, dir, signature string) (page string) {
	t.Helper()
	temp, bin, page := t.TempDir(), t.TempDir(), t.TempDir()
	for from, to := range map[string]string{dir: "dist", signature: "signatures/checksums.txt.sigstore.json"} {
		if err := os.MkdirAll(filepath.Join(temp, "signatures"), 0o755); err != nil {
			t.Fatal(err)
		}
		command(t, "", nil, "cp", "-r", from, filepath.Join(temp, to))
	}
	images := "ghcr.io/rollstamp/rollstamp:9.9.9@sha256:aaa\nghcr.io/rollstamp/rollstamp:9.9.9-shell@sha256:bbb (was there)\n"
	if err := os.WriteFile(filepath.Join(temp, "signatures", "images.txt"), []byte(images), 0o644); err != nil {
		t.Fatal(err)
	}
	// The notes are those of a version that this commit is not.
	executable(t, filepath.Join(bin, "go"),
		`[ "$3" = ready ] && { echo the notes; exit; }; shift 2; exec "`+b.release+`" "$@"`+"\n")
	executable(t, filepath.Join(bin, "gh"), `[ "$2" = view ] && exit 1
notes= ; while [ $# -gt 0 ]; do
  case "$1" in
  release | create | v9.9.9 | --draft | --verify-tag) ;;
  --title) shift ;;
  --notes-file) shift; cp "$1" "$PAGE/../notes.md" ;;
  *) [ ! -e "$PAGE/$(basename "$1")" ] && cp "$1" "$PAGE" || exit 9 ;;
  esac
  shift
done
`)
	page = filepath.Join(page, "page")
	if err := os.Mkdir(page, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp, "GITHUB_REF_NAME=v9.9.9",
		"PAGE=" + page}
	command(t, "..", env, "bash", "-e", "-c", draftScript(t))
	return page
}

func TestWhatIsDownloadedFromTheReleasesPageIsVerified(t *testing.T) {
	pairs, env := keys(t)
	b := whole(t)
	bundle := filepath.Join(t.TempDir(), "bundle")
	command(t, "", env, b.release, "sign", "-source", "..", "-out", b.dir, "-key", filepath.Join(pairs, "ours.key"))
	command(t, "", nil, "mv", filepath.Join(b.dir, "checksums.txt.sigstore.json"), bundle)
	page := publish(t, b, b.dir, bundle)

	output := command(t, page, nil, "sha256sum", "--check", "--ignore-missing", "--strict", "checksums.txt")
	entries, err := os.ReadDir(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, "checksums.txt") && !strings.Contains(output, name+": OK\n") {
			t.Errorf("%s is uploaded and has no sum:\n%s", name, output)
		}
	}
	sums := strings.Count(read(t, filepath.Join(page, "checksums.txt")), "\n")
	if got := strings.Count(output, ": OK\n"); got != sums || got < 6 {
		t.Errorf("of the files with a sum %d are uploaded:\n%s", got, output)
	}
	if err := os.Remove(filepath.Join(page, "NOTICES")); err != nil { // somebody who takes one file
		t.Fatal(err)
	}
	command(t, page, nil, "sha256sum", "--check", "--ignore-missing", "checksums.txt")
	cosign := cosignProgram(t)
	command(t, page, nil, cosign, "verify-blob", "checksums.txt", "--bundle", "checksums.txt.sigstore.json",
		"--key", filepath.Join(pairs, "ours.pub"), "--insecure-ignore-tlog")
	want := "the notes\n\n### Images\n\n- ghcr.io/rollstamp/rollstamp:9.9.9@sha256:aaa\n" +
		"- ghcr.io/rollstamp/rollstamp:9.9.9-shell@sha256:bbb\n"
	if notes := read(t, filepath.Join(page, "../notes.md")); notes != want {
		t.Errorf("the notes are\n%s", notes)
	}
}

// TestADownloadedReleaseIsBuiltAgain builds the last commit as a workflow does, and compares with what was uploaded.
func TestADownloadedReleaseIsBuiltAgain(t *testing.T) {
	b := whole(t)
	clone, dir, page := filepath.Join(t.TempDir(), "clone"), t.TempDir(), t.TempDir()
	command(t, "", nil, "git", "clone", "--quiet", "--no-local", "..", clone)
	const builder = "https://ci.example/release.yml@refs/tags/v9.9.8"
	command(t, "", nil, b.release, "build", "-source", clone, "-out", dir, "-version", "9.9.8", "-shell=false",
		"-platforms", "linux/amd64", "-builder", builder)
	for name := range strings.Lines(command(t, "", nil, b.release, "files", "-out", dir)) {
		command(t, "", nil, "cp", strings.TrimSuffix(name, "\n"), page)
	}
	if text := read(t, filepath.Join(page, "provenance.intoto.json")); !strings.Contains(text, `"id": "`+builder+`"`) {
		t.Errorf("the builder is another one:\n%s", text)
	}
	output := command(t, "", nil, b.release, "reproduce", "-source", clone, "-out", page, "-warm")
	if !strings.Contains(output, "two builds, the same bytes: ") || !strings.Contains(output, "the same image: sha256:") {
		t.Error(output)
	}
	command(t, clone, nil, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q",
		"--allow-empty", "-m", "later")
	output = refused(t, nil, b.release, "reproduce", "-source", clone, "-out", page, "-warm")
	if !strings.Contains(output, "the release is of the commit") {
		t.Errorf("at another commit: %s", output)
	}
}
