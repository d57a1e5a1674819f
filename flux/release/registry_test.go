package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"
)

// pushChart puts a chart into the repository charts/web of a registry under a tag, as helm push does, and returns the
// digest of its manifest.
func pushChart(t *testing.T, server, tag string, archive []byte) string {
	t.Helper()
	config := []byte("{}")
	for _, blob := range [][]byte{config, archive} {
		put(t, server+"/v2/charts/web/blobs/uploads/?digest="+digestOf(blob), http.MethodPost, "application/octet-stream", blob)
	}
	manifest := manifestOf(config, archive)
	put(t, server+"/v2/charts/web/manifests/"+tag, http.MethodPut, "application/vnd.oci.image.manifest.v1+json", manifest)
	return digestOf(manifest)
}

// manifestOf returns the manifest of a chart.
func manifestOf(config, archive []byte) []byte {
	return fmt.Appendf(nil, `{"schemaVersion":2,"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json",`+
		`"digest":%q,"size":%d},"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip",`+
		`"digest":%q,"size":%d}]}`, digestOf(config), len(config), digestOf(archive), len(archive))
}

func put(t *testing.T, url, method, contentType string, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", url, res.Status)
	}
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
