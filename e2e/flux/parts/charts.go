package parts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// Charts are packed charts: in a folder, in a Helm repository over HTTP, and in the registry.
type Charts struct{ Folder, URL string }

// ServeCharts packs the charts that are the folders of a folder, serves them with an index, and pushes them to
// REGISTRY/PREFIX/NAME:VERSION.
func (f *Flux) ServeCharts(t testing.TB, dir, prefix string) Charts {
	t.Helper()
	c := Charts{Folder: folder.Empty(t)}
	server := httptest.NewServer(http.FileServer(http.Dir(c.Folder)))
	t.Cleanup(server.Close)
	c.URL = server.URL
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	index := "apiVersion: v1\nentries:\n"
	for _, entry := range entries {
		packed, chart := pack(t, filepath.Join(dir, entry.Name()))
		file := chart.Name + "-" + chart.Version + ".tgz"
		folder.WriteFile(t, filepath.Join(c.Folder, file), string(packed))
		index += fmt.Sprintf("  %s:\n  - {apiVersion: v2, name: %[1]s, version: %[2]q, urls: [%[3]q]}\n", chart.Name, chart.Version, c.URL+"/"+file)
		f.Registry.pushChart(t, prefix+"/"+chart.Name+":"+strings.ReplaceAll(chart.Version, "+", "_"), packed)
	}
	folder.WriteFile(t, filepath.Join(c.Folder, "index.yaml"), index)
	return c
}

// chartFile is what is needed of a Chart.yaml.
type chartFile struct{ Name, Version string }

// pack is what helm package does.
func pack(t testing.TB, dir string) ([]byte, chartFile) {
	t.Helper()
	var chart chartFile
	text, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &chart)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	err = filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(chart.Name, filepath.ToSlash(inside)), Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(text)
		return err
	})
	for _, step := range []func() error{archive.Close, zip.Close} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), chart
}

// pushChart is what helm push does.
func (r *Registry) pushChart(t testing.TB, repository string, packed []byte) {
	t.Helper()
	const config, content = types.MediaType("application/vnd.cncf.helm.config.v1+json"), types.MediaType("application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), config)
	image, err := mutate.Append(image, mutate.Addendum{Layer: static.NewLayer(packed, content), MediaType: content})
	if err != nil {
		t.Fatal(err)
	}
	reference, err := name.ParseReference(r.Host+"/"+repository, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(reference, image); err != nil {
		t.Fatal(err)
	}
}
