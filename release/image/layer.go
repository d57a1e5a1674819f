// Package image assembles the container image from files, without a daemon and without a base image.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The user that Argo CD's repo server and its plugins run as.
const userID = 999

// entry is one file, folder or link of a layer. Its parents are added as folders of root that everybody may read.
type entry struct {
	name    string // without a leading slash
	mode    int64
	owner   int    // user and group
	content []byte // of a file
	from    string // the file on disk with the content, instead of content
	link    string // of a symbolic link: where it leads
	folder  bool
}

// layer writes entries as a layer: sorted, with one time, and owners and modes that are set here, so that neither the
// machine nor its user is seen in it.
func layer(date time.Time, entries []entry) (v1.Layer, error) {
	var packed bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&packed, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	tape := tar.NewWriter(zipped)
	for _, e := range withParents(entries) {
		if err := e.write(tape, date); err != nil {
			return nil, fmt.Errorf("layer: %s: %w", e.name, err)
		}
	}
	if err := tape.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return partial.CompressedToLayer(compressed(packed.Bytes()))
}

// compressed is a layer as it is stored.
type compressed []byte

func (c compressed) Digest() (v1.Hash, error) {
	h, _, err := v1.SHA256(bytes.NewReader(c))
	return h, err
}

func (c compressed) Compressed() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c)), nil }

func (c compressed) Size() (int64, error) { return int64(len(c)), nil }

func (c compressed) MediaType() (types.MediaType, error) { return types.OCILayer, nil }

// withParents sorts entries and adds the folders that they lie in.
func withParents(entries []entry) []entry {
	byName := map[string]entry{}
	for _, e := range entries {
		byName[e.name] = e
	}
	for _, e := range entries {
		for dir := path.Dir(e.name); dir != "."; dir = path.Dir(dir) {
			if _, ok := byName[dir]; !ok {
				byName[dir] = entry{name: dir, mode: 0o755, folder: true}
			}
		}
	}
	all := make([]entry, 0, len(byName))
	for _, e := range byName {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return all
}

func (e entry) write(tape *tar.Writer, date time.Time) error {
	header := &tar.Header{
		Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, ModTime: date, Format: tar.FormatUSTAR,
	}
	switch {
	case e.folder:
		header.Typeflag, header.Name = tar.TypeDir, e.name+"/"
		return tape.WriteHeader(header)
	case e.link != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, e.link
		return tape.WriteHeader(header)
	case e.from == "":
		header.Typeflag, header.Size = tar.TypeReg, int64(len(e.content))
		if err := tape.WriteHeader(header); err != nil {
			return err
		}
		_, err := tape.Write(e.content)
		return err
	}
	f, err := os.Open(e.from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	header.Typeflag, header.Size = tar.TypeReg, info.Size()
	if err := tape.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(tape, f)
	return err
}
