package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/workspace"
)

// layout is a folder that holds artifacts as a registry does, each under its digest: an image layout of OCI, as oras,
// crane and skopeo write it.
type layout string

const (
	layoutFile   = "oci-layout"
	chartContent = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	refName      = "org.opencontainers.image.ref.name"
)

// descriptor names a blob of a layout.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Annotations map[string]string `json:"annotations"`
}

func (l layout) exists() bool {
	_, err := os.Stat(filepath.Join(string(l), layoutFile))
	return err == nil
}

// find returns the chart that the layout has under a reference, and the digest of its manifest.
func (l layout) find(ref workspace.Reference) (*workspace.Checkout, string, error) {
	fail := func(err error, hint string) (*workspace.Checkout, string, error) {
		return nil, "", diag.Input(diag.Position{File: string(l)}, err, hint)
	}
	var index struct {
		Manifests []descriptor `json:"manifests"`
	}
	text, err := os.ReadFile(filepath.Join(string(l), "index.json"))
	if err == nil {
		err = json.Unmarshal(text, &index)
	}
	if err != nil {
		return fail(fmt.Errorf("read index.json of the image layout: %w", files.Cause(err)), "")
	}
	found, ok := pick(index.Manifests, ref)
	if !ok {
		return fail(fmt.Errorf("%s is not in this image layout", ref),
			"Put it there: oras copy --to-oci-layout, with its tag.")
	}
	var manifest struct {
		Layers []descriptor `json:"layers"`
	}
	if text, err = l.blob(found); err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return fail(fmt.Errorf("read the manifest of %s: %w", ref, err), "")
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType != chartContent {
			continue
		}
		archive, err := l.blob(layer)
		if err != nil {
			return fail(fmt.Errorf("read the chart of %s: %w", ref, err), "")
		}
		checkout, err := workspace.Unpack(archive, string(l))
		return checkout, found.Digest, err
	}
	return fail(fmt.Errorf("%s holds no chart", ref), "")
}

// blob returns the content of a descriptor, which has its digest.
func (l layout) blob(d descriptor) ([]byte, error) {
	digits, ok := strings.CutPrefix(d.Digest, "sha256:")
	if _, err := hex.DecodeString(digits); !ok || err != nil || len(digits) != 2*sha256.Size {
		return nil, errors.New("its digest is none of SHA-256")
	}
	text, err := os.ReadFile(filepath.Join(string(l), "blobs", "sha256", digits))
	if err != nil {
		return nil, files.Cause(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != digits {
		return nil, fmt.Errorf("its content does not have the digest %s", d.Digest)
	}
	return text, nil
}

// pick returns the manifest of a reference: by digest, else the highest version of a range, else by tag.
func pick(manifests []descriptor, ref workspace.Reference) (best descriptor, ok bool) {
	within, err := semver.NewConstraint(ref.Range)
	isRange := ref.Range != "" && err == nil
	var highest *semver.Version
	for _, m := range manifests {
		tag := m.Annotations[refName]
		tag = tag[strings.LastIndexByte(tag, ':')+1:] // some write the repository, too
		switch {
		case ref.Digest != "":
			if m.Digest == ref.Digest {
				return m, true
			}
		case isRange:
			v, err := semver.NewVersion(strings.ReplaceAll(tag, "_", "+"))
			if err == nil && within.Check(v) && (highest == nil || v.GreaterThan(highest)) {
				best, highest, ok = m, v, true
			}
		case tag == ref.Tag || ref.Tag == "" && tag == "latest":
			return m, true
		}
	}
	return best, ok
}
