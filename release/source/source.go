// Package source reads what a release is made of: a checkout, its revision, and the version that it is to be.
package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Tree is a checkout that is to be built.
type Tree struct {
	Root     string    // the folder with go.mod
	Version  string    // without a leading v: 0.1.0, or what git describe says
	Revision string    // the full commit, empty where there is no repository
	Date     time.Time // of the commit, or SOURCE_DATE_EPOCH; UTC
	Dirty    bool      // whether files differ from the commit
}

// noDate is the date of a tree that has none; nothing that zip can express is earlier.
var noDate = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// Read returns the tree at root. An empty version is taken from git describe. The version of a tree that differs from
// its commit, or that has none, ends in -dirty.
func Read(root, version string) (Tree, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Tree{}, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return Tree{}, fmt.Errorf("read the source: %w", err)
	}
	t := Tree{Root: root, Date: noDate, Version: version}
	if err := t.readRepository(); err != nil {
		return Tree{}, err
	}
	if t.Date, err = epoch(os.Getenv("SOURCE_DATE_EPOCH"), t.Date); err != nil {
		return Tree{}, err
	}
	t.Version = strings.TrimPrefix(t.Version, "v")
	if err := checkVersion(t.Version); err != nil {
		return Tree{}, err
	}
	if t.Version == "" {
		t.Version = unknown
	}
	if (t.Dirty || t.Revision == "") && t.Version != unknown && !strings.HasSuffix(t.Version, "-dirty") {
		t.Version += "-dirty"
	}
	return t, nil
}

// unknown is the version of a tree that is no repository, where nobody names one.
const unknown = "unknown"

// numbers is how a version begins; a commit that is all digits is longer.
var numbers = regexp.MustCompile(`^([0-9]+\.|[0-9]{1,3}(-|$))`)

// checkVersion returns an error for a version that cannot be a tag, or that begins with numbers and has not three of
// them. Other words are git describe's.
func checkVersion(version string) error {
	if strings.ContainsAny(version, "+/ ") {
		return fmt.Errorf("version %q: a tag of an image cannot hold +, / or spaces", version)
	}
	if numbers.MatchString(version) && !isSemantic(version) {
		return fmt.Errorf("version %q: want three numbers, such as 0.1.0 or 0.1.0-rc.1", version)
	}
	return nil
}

// isSemantic reports whether a version has all three numbers; the library takes fewer.
func isSemantic(version string) bool {
	return semver.IsValid("v"+version) && semver.Canonical("v"+version) == "v"+version
}

// IsRelease reports whether the version is one of semantic versioning that can be published: that of a commit, without
// changes.
func (t Tree) IsRelease() bool { return isSemantic(t.Version) && !t.Dirty && t.Revision != "" }

// Name is the version as tags and programs have it: v0.1.0, or git describe's words.
func (t Tree) Name() string {
	if isSemantic(t.Version) {
		return "v" + t.Version
	}
	return t.Version
}

// readRepository asks git, where there is a repository.
func (t *Tree) readRepository() error {
	if _, err := os.Stat(filepath.Join(t.Root, ".git")); err != nil {
		return nil
	}
	output, err := t.git("log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	revision, seconds, _ := strings.Cut(output, " ")
	t.Revision = revision
	if t.Date, err = epoch(seconds, t.Date); err != nil {
		return err
	}
	changes, err := t.git("status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return err
	}
	t.Dirty = changes != ""
	if t.Version == "" {
		t.Version, err = t.git("describe", "--tags", "--always")
	}
	return err
}

func (t *Tree) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = t.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is a repository and no git program: install git, or build from an archive of the source")
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// epoch reads seconds since 1970; an empty text is the default.
func epoch(seconds string, fallback time.Time) (time.Time, error) {
	if seconds == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is no number of seconds: %q", seconds)
	}
	return time.Unix(n, 0).UTC(), nil
}
