package image_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/release/image"
)

func TestALayerThatWasChangedIsNamed(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, packed []byte) []byte{
		"a byte flipped": func(_ *testing.T, packed []byte) []byte {
			packed[len(packed)/2] ^= 1
			return packed
		},
		"a file changed and packed again": func(t *testing.T, packed []byte) []byte {
			content := bytes.Replace(unzip(t, packed), []byte("rollstamp for"), []byte("rollstump for"), 1)
			return zip(t, content)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "image")
			made := index(t, tree("1.0.0"), content(t, amd64))
			if err := image.WriteLayout(dir, []image.Tagged{{Tag: "1.0.0", Index: made}}); err != nil {
				t.Fatal(err)
			}
			manifest, err := forPlatform(t, made, amd64).Manifest()
			if err != nil {
				t.Fatal(err)
			}
			layer := manifest.Layers[1].Digest.Hex
			path := filepath.Join(dir, "blobs", "sha256", layer)
			packed, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(t, bytes.Clone(packed)), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := image.ReadLayout(dir); err == nil || !strings.Contains(err.Error(), "not their names: "+layer) {
				t.Errorf("%v, want an error that names %s", err, layer)
			}
		})
	}
}

func unzip(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func zip(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
