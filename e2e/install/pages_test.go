package install

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// formulaStub is as much of Homebrew as a formula needs to be loaded and to say which files it installs, on one
// platform.
const formulaStub = `
class Formula
  class << self
    def desc(_) = nil
    def homepage(_) = nil
    def license(_) = nil
    def version(text = nil) = text ? @version = text : @version
    def url(text = nil) = text ? (puts "url " + text) : nil
    def sha256(text) = puts("sha256 " + text)
    def on_macos = ENV["OS"] == "darwin" ? yield : nil
    def on_linux = ENV["OS"] == "linux" ? yield : nil
    def on_arm = ENV["ARCH"] == "arm64" ? yield : nil
    def on_intel = ENV["ARCH"] == "amd64" ? yield : nil
    def test = nil
  end
  Folder = Struct.new(:name) do
    def install(*items)
      items.flatten.flat_map { |i| i.is_a?(Hash) ? i.keys : [i] }.each { |i| puts "file " + i }
    end
    def install_symlink(links) = links.each { |from, to| puts "link " + from + " " + to }
  end
  %w[bin man1 bash_completion zsh_completion fish_completion].each { |n| define_method(n) { Folder.new(n) } }
end
load ARGV[0]
Dir.chdir(ARGV[1]) { Rollstamp.new.install }
`

func TestTheFormulaInstallsFilesOfTheArchive(t *testing.T) {
	needs(t, "ruby", "tar")
	dir := t.TempDir()
	stub, unpacked := filepath.Join(dir, "stub.rb"), filepath.Join(dir, "archive")
	write(t, stub, formulaStub)
	if err := os.MkdirAll(unpacked, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, "tar", "-xzf", filepath.Join(made.dir, archiveName()), "-C", unpacked)
	files := listed(t)
	for _, a := range made.Artifacts {
		if a.OS == "windows" {
			continue
		}
		out := run(t, dir, []string{"OS=" + a.OS, "ARCH=" + a.Arch}, "ruby", stub, filepath.Join(made.dir, "rollstamp.rb"), unpacked)
		if !strings.Contains(out, "url "+made.URL(a)+"\nsha256 "+a.SHA256+"\n") || strings.Count(out, "url ") != 1 {
			t.Errorf("on %s/%s the formula says\n%s", a.OS, a.Arch, out)
		}
		installed := regexp.MustCompile(`(?m)^file (.*)$`).FindAllStringSubmatch(out, -1)
		for _, m := range installed {
			if !slices.Contains(files, m[1]) {
				t.Errorf("the archive has no %s, which the formula installs", m[1])
			}
		}
		if len(installed) < 30 || !strings.Contains(out, "link rollstamp kubectl-rollstamp\n") {
			t.Errorf("on %s/%s only %d files are installed:\n%s", a.OS, a.Arch, len(installed), out)
		}
	}
}

// brewStub does of Homebrew's what tap and install do with the repository: clone it, and load the formula from there.
const brewStub = `#!/bin/sh
case "$1" in
tap) git clone --quiet "$3" "taps/$2" ;;
install) ruby -c "taps/$(dirname "$2")/Formula/$(basename "$2").rb" ;;
esac
`

func TestTheTapOfThePageHasTheFormula(t *testing.T) {
	needs(t, "ruby", "git", "bash")
	page, err := os.ReadFile(filepath.Join(top, "docs/install.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "## With Homebrew\n")
	_, block, _ = strings.Cut(block, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	dir := t.TempDir()
	run(t, dir, nil, "cp", filepath.Join(made.dir, "rollstamp.rb"), dir)
	write(t, filepath.Join(dir, "bin/brew"), brewStub)
	if err := os.Chmod(filepath.Join(dir, "bin/brew"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com"}
	if out := run(t, dir, env, "bash", "-e", "-c", block); out != "Syntax OK\n" {
		t.Errorf("brew install says %q", out)
	}
}

func TestManualPagesAreGoodRoff(t *testing.T) {
	needs(t, "mandoc", "tar")
	dir := t.TempDir()
	run(t, dir, nil, "tar", "-xzf", filepath.Join(made.dir, archiveName()), "-C", dir)
	pages, err := filepath.Glob(filepath.Join(dir, "man/man1/*.1"))
	if err != nil || len(pages) < 25 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if out := run(t, dir, nil, "mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...); out != "" {
		t.Errorf("mandoc says\n%s", out)
	}
	out := run(t, dir, nil, "mandoc", "-T", "utf8", filepath.Join(dir, "man/man1/rollstamp-argocd-render.1"))
	plain := regexp.MustCompile(`.\x08`).ReplaceAllString(out, "")
	for _, want := range []string{"rollstamp argocd render ", "OPTIONS", "--output-dir", "EXAMPLES", "rollstamp-argocd(1)"} {
		if !strings.Contains(plain, want) {
			t.Errorf("the page lacks %q:\n%s", want, plain)
		}
	}
}

func TestShellsTakeTheCompletions(t *testing.T) {
	dir := t.TempDir()
	needs(t, "bash", "tar")
	run(t, dir, nil, "tar", "-xzf", filepath.Join(made.dir, archiveName()), "-C", dir)
	run(t, dir, nil, "bash", "-n", filepath.Join(dir, "completions/rollstamp.bash"))
	for _, name := range []string{"_rollstamp", "rollstamp.fish", "rollstamp.ps1", "kubectl_complete-rollstamp"} {
		if text, err := os.ReadFile(filepath.Join(dir, "completions", name)); err != nil || !strings.Contains(string(text), "__complete") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
