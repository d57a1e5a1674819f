package rootfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/rollstamp/rollstamp/release/rootfs"
)

// stored returns an image of one layer that is read from a folder, and the path of the layer.
func stored(t *testing.T) (img v1.Image, layer string) {
	t.Helper()
	made, err := random.Image(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := path.AppendImage(made); err != nil {
		t.Fatal(err)
	}
	digest, err := made.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if img, err = path.Image(digest); err != nil {
		t.Fatal(err)
	}
	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	return img, filepath.Join(dir, "blobs", "sha256", manifest.Layers[0].Digest.Hex)
}

func TestALayerThatCannotBeReadToItsEndIsAnError(t *testing.T) {
	img, layer := stored(t)
	if err := rootfs.Unpack(img, t.TempDir()); err != nil {
		t.Fatalf("as it was written: %v", err)
	}
	packed, err := os.ReadFile(layer)
	if err != nil {
		t.Fatal(err)
	}
	packed[len(packed)-8] ^= 1 // of the checksum that gzip has at the end, after all files
	if err := os.WriteFile(layer, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	err = rootfs.Unpack(img, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "unpack the image: ") || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a flipped byte: %v", err)
	}
}
