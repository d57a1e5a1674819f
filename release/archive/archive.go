// Package archive packs the same files into the same bytes each time.
package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// File is a file of an archive: on disk, or as it is.
type File struct {
	Name       string // with slashes
	From       string // on disk; empty: Content
	Content    []byte
	Executable bool
}

// Write packs files into a new archive at path, as .zip or .tar.gz, which its name says. Files have one date, no owner,
// and the modes 755 or 644.
func Write(name string, date time.Time, files []File) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	pack := tarball
	if strings.HasSuffix(name, ".zip") {
		pack = writeZip
	}
	err = pack(f, date, withFolders(files))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// withFolders sorts files and puts each folder before what lies in it; the name of a folder ends in a slash.
func withFolders(files []File) []File {
	all := slices.Clone(files)
	seen := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.Name); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, File{Name: dir + "/"})
		}
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (f File) isFolder() bool { return strings.HasSuffix(f.Name, "/") }

func (f File) mode() os.FileMode {
	if f.isFolder() || f.Executable {
		return 0o755
	}
	return 0o644
}

// open returns the content and its size.
func (f File) open() (io.ReadCloser, int64, error) {
	if f.From == "" {
		return io.NopCloser(strings.NewReader(string(f.Content))), int64(len(f.Content)), nil
	}
	file, err := os.Open(f.From)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

func tarball(w io.Writer, date time.Time, files []File) error {
	packed, err := gzip.NewWriterLevel(w, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	tape := tar.NewWriter(packed)
	for _, f := range files {
		content, size, err := f.open()
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Mode: int64(f.mode()), Size: size, ModTime: date,
			Format: tar.FormatUSTAR}
		if f.isFolder() {
			header.Typeflag = tar.TypeDir
		}
		if err = tape.WriteHeader(header); err == nil {
			_, err = io.Copy(tape, content)
		}
		content.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return errors.Join(tape.Close(), packed.Close())
}

func writeZip(w io.Writer, date time.Time, files []File) error {
	packed := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: date.UTC()}
		header.SetMode(f.mode())
		if f.isFolder() {
			header.Method = zip.Store
			header.SetMode(f.mode() | os.ModeDir)
		}
		out, err := packed.CreateHeader(header)
		if err != nil {
			return err
		}
		content, _, err := f.open()
		if err != nil {
			return err
		}
		_, err = io.Copy(out, content)
		content.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return packed.Close()
}
