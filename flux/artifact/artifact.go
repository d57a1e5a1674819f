// Package artifact makes what Flux's OCIRepository consumes, and publishes it: manifests as one layer of an OCI
// artifact, the same bytes on any machine.
package artifact

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// The media types that Flux's own tools write and its controllers read.
const (
	configType = "application/vnd.cncf.flux.config.v1+json"
	layerType  = "application/vnd.cncf.flux.content.v1.tar+gzip"
)

// created is the time in each artifact: it must not depend on when it was made.
const created = "1970-01-01T00:00:00Z"

// File is a file of an artifact, by its path with slashes.
type File struct {
	Path string
	Text []byte
}

// Origin is where the content comes from, as Flux shows it; "" is left out.
type Origin struct {
	Source   string // address of the repository
	Revision string // BRANCH@sha1:COMMIT
}

// Address returns the address of a repository as it may be published: without credentials, which the address that a
// job of CI has of its own repository often holds. The user that all share, git, stays.
func Address(source string) (string, error) {
	host, _, found := strings.Cut(source, "@")
	if found && strings.TrimPrefix(host, "ssh://") == "git" {
		return source, nil
	}
	if !strings.Contains(source, "://") {
		return redact.URL(source), nil
	}
	if _, err := url.Parse(source); err != nil {
		return "", diag.Usage(errors.New("read --source: it is an address that cannot be parsed"),
			"Write it as https://HOST/PATH.")
	}
	return redact.URL(source), nil
}

// Artifact is content as a registry stores it.
type Artifact struct{ config, layer, manifest blob }

// blob is content with its descriptor.
type blob struct {
	ocispec.Descriptor
	data []byte
}

func newBlob(mediaType string, data []byte) blob {
	return blob{content.NewDescriptorFromBytes(mediaType, data), data}
}

// New returns the artifact of files, in whatever order they are. It is the same bytes for the same files and origin.
func New(files []File, from Origin) (*Artifact, error) {
	source, err := Address(from.Source)
	if err != nil {
		return nil, err
	}
	layer, err := archive(files)
	if err != nil {
		return nil, fmt.Errorf("make the artifact: %w", err)
	}
	a := &Artifact{config: newBlob(configType, []byte("{}")), layer: newBlob(layerType, layer)}
	annotations := map[string]string{ocispec.AnnotationCreated: created}
	if source != "" {
		annotations[ocispec.AnnotationSource] = source
	}
	if from.Revision != "" {
		annotations[ocispec.AnnotationRevision] = from.Revision
	}
	text, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		Config: a.config.Descriptor, Layers: []ocispec.Descriptor{a.layer.Descriptor}, Annotations: annotations,
	})
	if err != nil {
		return nil, fmt.Errorf("make the artifact: %w", err)
	}
	a.manifest = newBlob(ocispec.MediaTypeImageManifest, text)
	return a, nil
}

// Digest returns the digest of the artifact's manifest.
func (a *Artifact) Digest() string { return a.manifest.Digest.String() }

// mode is that of each file, whatever the umask is.
const mode = 0o644

// archive packs files. Nothing in it comes from the machine: no time, owner or folder.
func archive(files []File) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: mode, Size: int64(len(f.Text))}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Text); err != nil {
			return nil, err
		}
	}
	err := cmp.Or(w.Close(), compressed.Close())
	return out.Bytes(), err
}
