package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rollstamp/rollstamp/release/source"
)

// runReady reports whether a commit can be released as a version, and prints the notes of the release.
func runReady(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	branch := flags.String("branch", "origin/main", "the branch that releases are commits of")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if w.version == "" {
		return errors.New("ready needs -version: what is to be released")
	}
	tree, err := source.Read(w.source, w.version)
	if err != nil {
		return err
	}
	if !tree.IsRelease() {
		return fmt.Errorf("%s is no version of a commit without changes", tree.Version)
	}
	if err := isOnBranch(ctx, tree, *branch); err != nil {
		return err
	}
	if err := isTagged(ctx, tree); err != nil {
		return err
	}
	changelog, err := os.ReadFile(filepath.Join(tree.Root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := releaseNotes(string(changelog), tree.Version)
	if err != nil {
		return err
	}
	if err := checkExamples(tree); err != nil {
		return err
	}
	fmt.Println(notes)
	return nil
}

// isOnBranch returns an error where the commit is not one of the branch, which was reviewed and checked.
func isOnBranch(ctx context.Context, tree source.Tree, branch string) error {
	_, err := git(ctx, tree, "merge-base", "--is-ancestor", tree.Revision, branch)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 1 {
		return fmt.Errorf("%s is not on %s: a release is a commit of that branch", tree.Revision, branch)
	}
	if err != nil {
		err = fmt.Errorf("%w: fetch the branch, or name another by -branch", err)
	}
	return err
}

// isTagged returns an error where the version's tag leads to another commit. Before there is a tag all is well.
func isTagged(ctx context.Context, tree source.Tree) error {
	if _, err := git(ctx, tree, "rev-parse", "--verify", "--quiet", "refs/tags/"+tree.Name()); err != nil {
		return nil
	}
	commit, err := git(ctx, tree, "rev-parse", "refs/tags/"+tree.Name()+"^{commit}")
	if err == nil && commit != tree.Revision {
		err = fmt.Errorf("the tag %s leads to %s, and this is %s", tree.Name(), commit, tree.Revision)
	}
	return err
}

func git(ctx context.Context, tree source.Tree, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = tree.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// dated is the heading of a version that is released.
var dated = regexp.MustCompile(`^## (\S+) \(\d{4}-\d{2}-\d{2}\)$`)

// releaseNotes returns the section of a version, which has to be the first of the changelog, with its date: by that
// heading a checkout knows which release it is.
func releaseNotes(changelog, version string) (string, error) {
	_, rest, _ := strings.Cut("\n"+changelog, "\n## ")
	heading, rest, _ := strings.Cut(rest, "\n")
	heading = "## " + heading
	if m := dated.FindStringSubmatch(heading); m == nil || m[1] != version {
		return "", fmt.Errorf("CHANGELOG.md begins with %q: a release wants \"## %s (YYYY-MM-DD)\" there", heading, version)
	}
	section, _, _ := strings.Cut("\n"+rest, "\n## ")
	section = strings.TrimSpace(section)
	if section == "" {
		return "", fmt.Errorf("CHANGELOG.md says nothing about %s", version)
	}
	return section, nil
}

// pin is where an example names the version that it takes.
var pin = regexp.MustCompile(`(?:rollstamp/rollstamp[@:/]|\brev: |ROLLSTAMP_VERSION: )v?(\d+\.\d+\.\d+)`)

// checkExamples returns an error where an example takes another version.
func checkExamples(tree source.Tree) error {
	return filepath.WalkDir(filepath.Join(tree.Root, "examples"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range pin.FindAllStringSubmatch(string(text), -1) {
			if m[1] != tree.Version {
				return fmt.Errorf("%s names %q, and not %s", path, m[0], tree.Version)
			}
		}
		return nil
	})
}
