package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/provenance"
)

// writeProven writes a release that is an image and the provenance that names it.
func writeProven(t *testing.T) string {
	t.Helper()
	img := newImage(t)
	digest, err := img.Index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	statement := provenance.Statement{Subject: []provenance.Resource{
		{Name: "image:" + img.Tag, Digest: map[string]string{"sha256": digest.Hex}},
	}}
	text, err := statement.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir := files(t, map[string]string{provenanceName: string(text)})
	r, err := dist.Release{}.Add(dir, dist.Artifact{Name: provenanceName})
	if err := errors.Join(err, r.WriteChecksums(dir), writeImage(dir, img)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeImage(dir string, img image.Tagged) error {
	return image.WriteLayout(filepath.Join(dir, "image"), []image.Tagged{img})
}

// changeLargest flips a bit of the largest file of an image, which is a layer or a manifest.
func changeLargest(t *testing.T, dir string) {
	t.Helper()
	blobs, err := filepath.Glob(filepath.Join(dir, "image", "blobs", "sha256", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(blobs, err)
	}
	var largest []byte
	var path string
	for _, blob := range blobs {
		text, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > len(largest) {
			largest, path = text, blob
		}
	}
	largest[len(largest)/2] ^= 1
	if err := os.WriteFile(path, largest, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyLooksAtTheImageAndAtEveryFile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string // empty: it is verified
	}{
		"as it was built":         {func(*testing.T, string) {}, ""},
		"downloaded, so no image": {func(_ *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "image")) }, ""},
		"a byte of the image":     {changeLargest, "the image was changed since it was built"},
		"another image": {func(t *testing.T, dir string) {
			if err := writeImage(dir, newImage(t)); err != nil {
				t.Fatal(err)
			}
		}, "and provenance.intoto.json names"},
		"a layer is missing": {func(t *testing.T, dir string) {
			blobs, err := filepath.Glob(filepath.Join(dir, "image", "blobs", "sha256", "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, blob := range blobs {
				text, err := os.ReadFile(blob)
				if err == nil && text[0] == 0x1f { // packed
					err = os.Remove(blob)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}, "no such file"},
		"one more file": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, "rollstamp_0.1.0_windows_amd64.zip")
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "rollstamp_0.1.0_windows_amd64.zip has no sum"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeProven(t)
			c.change(t, dir)
			err := run(t.Context(), []string{"verify", "-out", dir})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestAPublicKeyThatIsNotThereIsCalledThat(t *testing.T) {
	dir := writeProven(t)
	if err := os.WriteFile(filepath.Join(dir, dist.Signature), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"verify", "-out", dir, "-key", "/nowhere.pub"}, {"verify-image", "-key", "/nowhere.pub", "registry.example/x:1"},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), "public key: stat /nowhere.pub") {
			t.Errorf("%s: %v", args[0], err)
		}
	}
}
