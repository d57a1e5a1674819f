package image

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/programs"
)

// refName is the annotation by which an OCI layout names what is in it.
const refName = "org.opencontainers.image.ref.name"

// Tagged is an image and the tag that it is to have.
type Tagged struct {
	Tag   string
	Index v1.ImageIndex
}

// WriteLayout writes images as an OCI layout: beside the folder first, so that it is whole whenever it is there.
func WriteLayout(dir string, images []Tagged) error {
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, i := range images {
		all = mutate.AppendManifests(all, mutate.IndexAddendum{
			Add: i.Index,
			Descriptor: v1.Descriptor{
				MediaType: types.OCIImageIndex, Annotations: map[string]string{refName: i.Tag},
			},
		})
	}
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if _, err := layout.Write(part, all); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	if err := makeReadable(part); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// makeReadable sets one mode for all files, whatever the umask is and the library chose.
func makeReadable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}

// ReadLayout returns the images of an OCI layout in their order. A file of it that differs from its digest is an error.
func ReadLayout(dir string) ([]Tagged, error) {
	all, err := layout.ImageIndexFromPath(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no image in %s: make image writes it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	manifest, err := all.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	if err := checkBlobs(filepath.Join(dir, "blobs", "sha256")); err != nil {
		return nil, err
	}
	var out []Tagged
	for _, d := range manifest.Manifests {
		index, err := all.ImageIndex(d.Digest)
		if err != nil {
			return nil, fmt.Errorf("read the image: %w", err)
		}
		out = append(out, Tagged{Tag: d.Annotations[refName], Index: index})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no image in %s", dir)
	}
	return out, nil
}

// Validate returns an error where an image is not whole: a layer that is missing, has another size or, unpacked, is not
// what the configuration names.
func Validate(images []Tagged) error {
	for _, i := range images {
		if err := validate.Index(i.Index); err != nil {
			return fmt.Errorf("image %s: %w", i.Tag, err)
		}
	}
	return nil
}

// checkBlobs compares the manifests, configurations and layers in a folder with their digests, which are their names.
// The library reads them by name only.
func checkBlobs(dir string) error {
	blobs, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the image: %w", err)
	}
	var wrong []string
	for _, blob := range blobs {
		sum, _, err := dist.Sum(filepath.Join(dir, blob.Name()))
		if err != nil {
			return fmt.Errorf("read the image: %w", err)
		}
		if sum != blob.Name() {
			wrong = append(wrong, blob.Name())
		}
	}
	if len(wrong) > 0 {
		const what = "the image was changed since it was built: in %s, the digests of these files are not their names: %s"
		return fmt.Errorf(what, dir, strings.Join(wrong, ", "))
	}
	return nil
}

// ForPlatform returns an index's image for a platform.
func ForPlatform(index v1.ImageIndex, p programs.Platform) (v1.Image, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range manifest.Manifests {
		if d.Platform != nil && d.Platform.OS == p.OS && d.Platform.Architecture == p.Arch {
			return index.Image(d.Digest)
		}
	}
	return nil, fmt.Errorf("the image is not made for %s", p)
}

// WriteTarball writes the image for one platform as `docker load` takes it.
func WriteTarball(w io.Writer, ref string, index v1.ImageIndex, p programs.Platform) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("name of the image: %w", err)
	}
	img, err := ForPlatform(index, p)
	if err != nil {
		return err
	}
	return tarball.Write(tag, img, w)
}
