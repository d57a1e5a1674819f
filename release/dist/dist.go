// Package dist is what a release consists of: its files, with their sums, in one folder.
package dist

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Repository is where the project lies, and where its releases are downloaded from.
const Repository = "https://github.com/rollstamp/rollstamp"

// Checksums is the name of the file with the sums of all others.
const Checksums = "checksums.txt"

// Signature is the name of the file with the signature of the sums.
const Signature = Checksums + ".sigstore.json"

// Kind says what an artifact is.
type Kind string

// The kinds of artifacts.
const (
	Archive    Kind = "archive"    // the programs of a platform: .tar.gz or .zip
	SBOM       Kind = "sbom"       // what is linked into them
	Notices    Kind = "notices"    // the licenses of what is linked
	Provenance Kind = "provenance" // how they were built
	Manifest   Kind = "manifest"   // made of the release by package manifests: for package managers and the like
)

// Artifact is a file of a release.
type Artifact struct {
	Name     string // without folders: what is downloaded lies in one
	Kind     Kind
	OS, Arch string // of an archive and its SBOM
	SHA256   string
	Size     int64
}

// Release is a release as others describe it: manifests of package managers, provenance, the notes.
type Release struct {
	Version     string // 0.1.0
	Tag         string // v0.1.0
	Revision    string
	Date        time.Time // of the commit
	Artifacts   []Artifact
	ImageDigest string // sha256:..., of the image index
}

// URL is where an artifact can be downloaded once the release is published.
func (r Release) URL(a Artifact) string {
	return fmt.Sprintf("%s/releases/download/%s/%s", Repository, r.Tag, a.Name)
}

// Archive returns the archive of a platform.
func (r Release) Archive(os, arch string) (Artifact, bool) {
	for _, a := range r.Artifacts {
		if a.Kind == Archive && a.OS == os && a.Arch == arch {
			return a, true
		}
	}
	return Artifact{}, false
}

// Add returns the release with one more artifact, whose file lies in dir.
func (r Release) Add(dir string, a Artifact) (Release, error) {
	if a.Name != filepath.Base(a.Name) {
		return r, fmt.Errorf("add %s to a release: on its page there are no folders", a.Name)
	}
	sum, size, err := Sum(filepath.Join(dir, a.Name))
	if err != nil {
		return r, err
	}
	a.SHA256, a.Size = sum, size
	r.Artifacts = append(slices.Clip(r.Artifacts), a)
	return r, nil
}

// Sum returns the SHA-256 of a file, in hexadecimal, and its size.
func Sum(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, f); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// WriteChecksums writes the sums of all artifacts as sha256sum reads them.
func (r Release) WriteChecksums(dir string) error {
	lines := make([]string, 0, len(r.Artifacts))
	for _, a := range r.Artifacts {
		lines = append(lines, a.SHA256+"  "+a.Name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(dir, Checksums), []byte(strings.Join(lines, "")), 0o644)
}

// Names returns the files of a release in a folder: those with a sum, that with the sums, and its signature where there
// is one.
func Names(dir string) ([]string, error) {
	sums, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	names := []string{Checksums}
	for _, s := range sums {
		names = append(names, s.name)
	}
	if _, err := os.Stat(filepath.Join(dir, Signature)); err == nil {
		names = append(names, Signature)
	}
	return names, nil
}

// folders are what lies beside the files of a release and has no sums: the image has digests of its own.
var folders = []string{"image", "programs", "site"}

// Verify compares the files of a folder with their sums. It names each file that is missing, differs or has no sum.
func Verify(dir string) error {
	sums, err := readSums(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no release in %s, for it has no %s: make release writes both", dir, Checksums)
	}
	if err != nil {
		return err
	}
	var wrong []string
	for _, s := range sums {
		got, _, err := Sum(filepath.Join(dir, s.name))
		if err != nil {
			wrong = append(wrong, err.Error())
		} else if got != s.want {
			wrong = append(wrong, s.name+" differs from its sum")
		}
	}
	unlisted, err := unlistedNames(dir, sums)
	if err != nil {
		return err
	}
	for _, name := range unlisted {
		wrong = append(wrong, name+" has no sum")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("verify %s: %s", dir, strings.Join(wrong, "; "))
	}
	return nil
}

// unlistedNames returns what lies in a folder and is no part of its release.
func unlistedNames(dir string, sums []fileSum) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Name() == Checksums || e.Name() == Signature || e.IsDir() && slices.Contains(folders, e.Name()) {
			continue
		}
		if !slices.ContainsFunc(sums, func(s fileSum) bool { return s.name == e.Name() }) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// fileSum is a line of the sums.
type fileSum struct{ want, name string }

func readSums(dir string) ([]fileSum, error) {
	text, err := os.ReadFile(filepath.Join(dir, Checksums))
	if err != nil {
		return nil, err
	}
	var all []fileSum
	for line := range strings.Lines(string(text)) {
		want, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s: not a line of sums: %q", Checksums, line)
		}
		all = append(all, fileSum{want, name})
	}
	return all, nil
}
