package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/network"
)

// Pushed is what a push came to.
type Pushed struct {
	Digest string   // of the manifest that the tags have now
	Tags   []string // that were moved; none where all had the content already
	Blobs  int      // how many were uploaded
}

// Push publishes an artifact under tags, so that all of them have one digest then. What a tag has already stays,
// whatever revision it was made of, and the others get that: nothing is uploaded then. The manifest comes last, so
// that a push that ends early changes no tag. A tag that holds something else than an artifact of Flux is an error.
func (r *Repository) Push(ctx context.Context, a *Artifact, tags []string) (Pushed, error) {
	held := make([]blob, len(tags))
	var one *blob
	for i, tag := range tags {
		have, same, err := r.compare(ctx, a, tag)
		if err != nil {
			return Pushed{}, r.fail("look at tag "+tag, err)
		}
		if held[i] = have; same && one == nil {
			one = &held[i]
		}
	}
	done := Pushed{}
	if one == nil {
		one = &a.manifest
		for _, b := range []blob{a.config, a.layer} {
			uploaded, err := r.upload(ctx, b)
			if err != nil {
				return Pushed{}, r.fail("upload", err)
			}
			if uploaded {
				done.Blobs++
			}
		}
	}
	done.Digest = one.Digest.String()
	for i, tag := range tags {
		if held[i].Digest == one.Digest {
			continue
		}
		err := r.remote.Manifests().PushReference(ctx, one.Descriptor, bytes.NewReader(one.data), tag)
		if err != nil {
			return Pushed{}, r.fail(writeOf(tag, done.Tags), err)
		}
		done.Tags = append(done.Tags, tag)
	}
	return done, nil
}

// maxManifest bounds what is read of a registry.
const maxManifest = 4 << 20

// errNoManifest is the error of a tag that is answered with a web page or the like.
var errNoManifest = errors.New("what it holds is no manifest")

// errOther is the error of a tag with something else.
var errOther = errors.New("it holds something else than an artifact of Flux")

// compare returns the manifest that a tag has, and whether that has the content of an artifact.
func (r *Repository) compare(ctx context.Context, a *Artifact, tag string) (have blob, same bool, err error) {
	desc, body, err := r.remote.Manifests().FetchReference(ctx, tag)
	if errors.Is(err, errdef.ErrNotFound) {
		return blob{}, false, nil
	}
	if err != nil {
		return blob{}, false, err
	}
	defer func() { _ = body.Close() }()
	if desc.Size > maxManifest {
		return blob{}, false, errOther
	}
	text, err := content.ReadAll(io.LimitReader(body, maxManifest), desc)
	if err != nil {
		return blob{}, false, err
	}
	var m ocispec.Manifest
	if !json.Valid(text) {
		return blob{}, false, errNoManifest
	}
	if json.Unmarshal(text, &m) != nil || m.Config.MediaType != configType || len(m.Layers) == 0 {
		return blob{}, false, errOther
	}
	layer := m.Layers[0]
	same = len(m.Layers) == 1 && layer.MediaType == layerType && layer.Digest == a.layer.Digest &&
		m.Annotations[ocispec.AnnotationSource] == a.source()
	return blob{desc, text}, same, nil
}

// source returns the address that the artifact's content comes from.
func (a *Artifact) source() string {
	var m ocispec.Manifest
	_ = json.Unmarshal(a.manifest.data, &m) // what New made
	return m.Annotations[ocispec.AnnotationSource]
}

// upload uploads a blob that the repository does not have. Where a registry refers to another host for a blob, it has
// that, and nobody asks there.
func (r *Repository) upload(ctx context.Context, b blob) (bool, error) {
	have, err := r.remote.Blobs().Exists(ctx, b.Descriptor)
	if elsewhere := (*network.RefusedError)(nil); errors.As(err, &elsewhere) {
		return false, nil
	}
	if have || err != nil {
		return false, err
	}
	return true, r.remote.Blobs().Push(ctx, b.Descriptor, bytes.NewReader(b.data))
}

// writeOf returns what failed where a tag could not be written: the tags before it are moved.
func writeOf(tag string, moved []string) string {
	if len(moved) == 0 {
		return "write tag " + tag
	}
	return fmt.Sprintf("write tag %s, after %s", tag, strings.Join(moved, ", "))
}

// fail returns the error of a request to the registry, without the address of the request: it may hold a token.
func (r *Repository) fail(doing string, err error) error {
	if known := (*diag.Error)(nil); errors.As(err, &known) {
		return known
	}
	cause, hint := causeOf(err)
	return &diag.Error{Exit: diag.ExitSource, Object: Scheme + r.name, Err: fmt.Errorf("%s: %w", doing, cause), Hint: hint}
}
