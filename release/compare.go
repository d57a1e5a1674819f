package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/provenance"
)

// compare names each file that differs between two builds.
func compare(first, second string) error {
	a, err := os.ReadFile(filepath.Join(first, dist.Checksums))
	if err != nil {
		return fmt.Errorf("the first build: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(second, dist.Checksums))
	if err != nil {
		return fmt.Errorf("the second build: %w", err)
	}
	// The provenance has the image's digest, and the sums have the provenance's.
	if !bytes.Equal(a, b) {
		return fmt.Errorf("two builds differ: %s", strings.Join(differences(string(a), string(b)), ", "))
	}
	for _, dir := range []string{first, second} {
		if err := dist.Verify(dir); err != nil {
			return err
		}
	}
	sum, _, err := dist.Sum(filepath.Join(first, dist.Checksums))
	if err != nil {
		return err
	}
	fmt.Printf("two builds, the same bytes: %d files, %s %s\n", strings.Count(string(a), "\n"), dist.Checksums, sum)
	return sameImage(first, second)
}

func differences(a, b string) []string {
	has := map[string]bool{}
	for line := range strings.Lines(b) {
		has[line] = true
	}
	var names []string
	for line := range strings.Lines(a) {
		if !has[line] {
			_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			names = append(names, name)
		}
	}
	return append(names, fmt.Sprintf("%d and %d files", strings.Count(a, "\n"), strings.Count(b, "\n")))
}

// sameImage compares the images themselves, where the release has one.
func sameImage(first, second string) error {
	a, err := imageDigest(first)
	if err != nil {
		return err
	}
	b, err := imageDigest(second)
	if err != nil {
		return err
	}
	if a != b {
		return fmt.Errorf("two builds have different images: %s and %s", a, b)
	}
	fmt.Println("the same image:", a)
	return nil
}

// imageDigest returns the digest of the image in a folder. A release that was downloaded has it in its provenance only;
// one of other platforms has none.
func imageDigest(dir string) (string, error) {
	layout := filepath.Join(dir, "image")
	if _, err := os.Stat(layout); err == nil {
		images, err := image.ReadLayout(layout)
		if err != nil {
			return "", err
		}
		digest, err := images[0].Index.Digest()
		return digest.String(), err
	}
	statement, err := provenance.Read(filepath.Join(dir, provenanceName))
	if err != nil {
		return "", err
	}
	return cmp.Or(statement.Image(), "none"), nil
}
