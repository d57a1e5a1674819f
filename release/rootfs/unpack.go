// Package rootfs runs an image without a container runtime: unpacked to a folder, with namespaces of its own.
package rootfs

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Unpack writes the files of an image to a folder, with their modes, and their owners where the caller is root.
func Unpack(img v1.Image, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Chmod(".", 0o755); err != nil {
		return err
	}
	files := mutate.Extract(img)
	defer files.Close()
	tape := tar.NewReader(files)
	for {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			// Extract ends the archive before it reports the error of a layer, which comes after the end.
			if _, err = io.Copy(io.Discard, files); err == nil {
				return nil
			}
		}
		if err == nil {
			err = unpack(root, header, tape)
		}
		if err != nil {
			return fmt.Errorf("unpack the image: %w", err)
		}
	}
}

func unpack(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.FromSlash(filepath.Clean(header.Name))
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := header.FileInfo().Mode() & (fs.ModePerm | fs.ModeSticky)
	switch header.Typeflag {
	case tar.TypeDir:
		if err := root.MkdirAll(name, 0o755); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s is of a kind (%c) that the image does not have", header.Name, header.Typeflag)
	}
	if os.Geteuid() == 0 {
		if err := root.Lchown(name, header.Uid, header.Gid); err != nil {
			return err
		}
	}
	return root.Chmod(name, mode)
}
