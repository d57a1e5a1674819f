package helm

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/workspace"
)

// pushCharts starts a registry with the cache chart in some versions, and returns its repository's address.
func pushCharts(t *testing.T, versions ...string) (repository string, server *httptest.Server) {
	t.Helper()
	server = httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	above := "oci://" + strings.TrimPrefix(server.URL, "http://") + "/charts"
	dir := t.TempDir()
	for _, v := range versions {
		helm(t, "package", filepath.Join(charts, "shop/charts/cache"), "--version", v, "--destination", dir)
		helm(t, "push", filepath.Join(dir, "cache-"+v+".tgz"), above, "--plain-http")
	}
	return above + "/cache", server
}

func digestInRegistry(t *testing.T, server *httptest.Server, tag string) string {
	t.Helper()
	res, err := http.Head(server.URL + "/v2/charts/cache/manifests/" + tag)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.Header.Get("Docker-Content-Digest")
}

func TestAnArtifactIsFoundByTagRangeAndDigestWithTheDigestOfItsManifest(t *testing.T) {
	t.Parallel()
	repository, server := pushCharts(t, "0.3.7", "0.4.0")
	e := Engine{CacheDir: t.TempDir()}
	want := digestInRegistry(t, server, "0.3.7")
	for _, ref := range []workspace.Reference{
		{Tag: "0.3.7"}, {Range: "0.3.x"}, {Tag: "0.4.0", Range: "^0.3.0"}, {Tag: "0.4.0", Digest: want},
	} {
		found, err := e.PullArtifact(t.Context(), repository, ref)
		if err != nil || found.Digest != want || len(found.Archive) == 0 {
			t.Errorf("%+v: %v %v", ref, found, err)
		}
	}
	for _, ref := range []workspace.Reference{{}, {Tag: "9.9.9"}, {Range: "^9"}, {Tag: "../x"}, {Digest: "sha256:none"}} {
		if found, err := e.PullArtifact(t.Context(), repository, ref); diag.ExitOf(err) != diag.ExitSource {
			t.Errorf("%+v: got %v, %v", ref, found, err)
		}
	}
	server.Close()
	for _, ref := range []workspace.Reference{{Tag: "0.3.7"}, {Digest: want}} {
		if found := e.CachedArtifact(repository, ref); found == nil || found.Digest != want {
			t.Errorf("%+v is not in the cache: %v", ref, found)
		}
		if _, err := e.PullArtifact(t.Context(), repository, ref); err != nil {
			t.Errorf("%+v is asked for again: %v", ref, err)
		}
	}
	for _, ref := range []workspace.Reference{{Range: "0.3.x"}, {Tag: "latest"}, {Tag: "0.4.0"}} {
		if found := e.CachedArtifact(repository, ref); found != nil {
			t.Errorf("%+v is taken from the cache", ref)
		}
	}
	if found := (Engine{}).CachedArtifact(repository, workspace.Reference{Tag: "0.3.7"}); found != nil {
		t.Error("an engine without a cache has an artifact")
	}
}
