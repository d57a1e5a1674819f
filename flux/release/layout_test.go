package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/release"
	"github.com/rollstamp/rollstamp/workspace"
)

// writeLayout writes an image layout with the chart web in some versions, and returns it with the digests of their
// manifests.
func writeLayout(t *testing.T, versions ...string) (dir string, digests map[string]string) {
	t.Helper()
	dir, digests = t.TempDir(), map[string]string{}
	var index []any
	for _, v := range versions {
		archive := pack(t, versioned(v))
		manifest := manifestOf([]byte("{}"), archive)
		for _, blob := range [][]byte{archive, manifest} {
			writeBlob(t, dir, digestOf(blob), blob)
		}
		digests[v] = digestOf(manifest)
		index = append(index, map[string]any{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digests[v],
			"size": len(manifest), "annotations": map[string]string{"org.opencontainers.image.ref.name": v}})
	}
	text, err := json.Marshal(map[string]any{"schemaVersion": 2, "manifests": index})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"oci-layout": `{"imageLayoutVersion":"1.0.0"}`, "index.json": string(text)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, digests
}

// writeBlob writes content into a layout under a digest, which it may not have.
func writeBlob(t *testing.T, dir, digest string, content []byte) {
	t.Helper()
	path := filepath.Join(dir, "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnImageLayoutKnowsTheDigestOfItsArtifacts(t *testing.T) {
	t.Parallel()
	dir, digests := writeLayout(t, "1.2.3", "1.3.0", "2.0.0")
	find := func(ref string) (string, error) {
		charts := release.Charts{Repositories: &workspace.Repositories{}, Sources: sources{
			objects: parseSources(t, "OCIRepository {url: 'oci://registry.example.org/charts/web', ref: "+ref+"}"),
			folders: map[string]string{"OCIRepository/src": dir}}}
		got, _, err := findAndRender(t, charts, "chartRef: {kind: OCIRepository, name: src, namespace: flux}\n")
		return got, err
	}
	for ref, version := range map[string]string{
		"{tag: 1.2.3}": "1.2.3", "{semver: '1.x'}": "1.3.0", "{tag: 1.3.0, digest: '" + digests["2.0.0"] + "'}": "2.0.0",
	} {
		want := version + "+" + digests[version][len("sha256:"):][:12] + " default default"
		if got, err := find(ref); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", ref, got, err, want)
		}
	}
	for _, ref := range []string{"{tag: 9.9.9}", "{semver: '9.x'}", "{digest: '" + digestOf(nil) + "'}", "{}"} {
		_, err := find(ref)
		if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "is not in this image layout") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	writeBlob(t, dir, digests["1.2.3"], []byte("{}"))
	if _, err := find("{tag: 1.2.3}"); err == nil || !strings.Contains(err.Error(), "does not have the digest") {
		t.Errorf("a manifest that was changed: %v", err)
	}
}
