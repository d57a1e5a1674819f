package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// The stories of releases whose charts lie in a repository over HTTP and in a registry, at $HTTP and $REGISTRY. What
// lies in the folder flux of a story has these in place of the names, and the folder charts is what is served.
func TestChartsOfReleasesAreFetched(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/fluxcharts",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			oci := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
			e.Defer(oci.Close)
			served := filepath.Join(e.WorkDir, "served")
			plain := httptest.NewServer(http.FileServer(http.Dir(served)))
			e.Defer(plain.Close)
			e.Setenv("DOCKER_CONFIG", e.WorkDir)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			err := os.Mkdir(served, 0o700)
			archive, packErr := packChart(filepath.Join(e.WorkDir, "charts"), "web")
			index := "apiVersion: v1\nentries:\n  web:\n  - {name: web, version: 1.2.3, urls: [web-1.2.3.tgz]}\n"
			return errors.Join(err, packErr, os.WriteFile(filepath.Join(served, "web-1.2.3.tgz"), archive, 0o600),
				os.WriteFile(filepath.Join(served, "index.yaml"), []byte(index), 0o600),
				pushTo(oci.URL, "charts/web", "1.2.3", archive),
				replaceIn(filepath.Join(e.WorkDir, "flux"), "$HTTP", plain.URL, "$REGISTRY", oci.Listener.Addr().String()))
		},
	})
}

// replaceIn replaces words in all files of a folder.
func replaceIn(dir string, words ...string) error {
	all, err := os.ReadDir(dir)
	for _, f := range all {
		path := filepath.Join(dir, f.Name())
		text, readErr := os.ReadFile(path)
		err = errors.Join(err, readErr,
			os.WriteFile(path, []byte(strings.NewReplacer(words...).Replace(string(text))), 0o600))
	}
	return err
}

// packChart packs the folder of a chart.
func packChart(dir, name string) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: filepath.ToSlash(rel), Size: int64(len(text)), Mode: 0o644})
		}
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	err = errors.Join(err, w.Close(), z.Close())
	return b.Bytes(), err
}

// pushTo puts a chart into a registry, as helm push does.
func pushTo(server, repository, tag string, archive []byte) error {
	digest := func(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }
	config := []byte("{}")
	manifest := fmt.Appendf(nil, `{"schemaVersion":2,"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json",`+
		`"digest":%q,"size":%d},"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip",`+
		`"digest":%q,"size":%d}]}`, digest(config), len(config), digest(archive), len(archive))
	at := server + "/v2/" + repository
	return errors.Join(
		send(http.MethodPost, at+"/blobs/uploads/?digest="+digest(config), "application/octet-stream", config),
		send(http.MethodPost, at+"/blobs/uploads/?digest="+digest(archive), "application/octet-stream", archive),
		send(http.MethodPut, at+"/manifests/"+tag, "application/vnd.oci.image.manifest.v1+json", manifest),
	)
}

func send(method, url, contentType string, body []byte) error {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	return nil
}
