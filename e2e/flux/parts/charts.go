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
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// Charts are packed charts: in a folder, in a Helm repository over HTTP, in the registry, and in an image layout of the
// same artifacts.
type Charts struct{ Folder, URL, Layout string }

// ServeCharts packs the charts that are the folders of a folder, serves them with an index, and pushes them to
// REGISTRY/PREFIX/NAME:VERSION.
func (f *Flux) ServeCharts(t testing.TB, dir, prefix string) Charts {
	t.Helper()
	c := Charts{Folder: folder.Empty(t), Layout: folder.Empty(t)}
	copies, err := layout.Write(c.Layout, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
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
		tag, image := strings.ReplaceAll(chart.Version, "+", "_"), chartImage(t, packed)
		f.Registry.push(t, prefix+"/"+chart.Name+":"+tag, image)
		named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag})
		if err := copies.AppendImage(image, named); err != nil {
			t.Fatal(err)
		}
	}
	folder.WriteFile(t, filepath.Join(c.Folder, "index.yaml"), index)
	return c
}

// flagger is the module of a project of Flux's, in which the charts lie that it publishes.
const flagger = "github.com/fluxcd/flagger@v1.36.1"

// PublicCharts returns the folder of charts that somebody else has written and published: Grafana's, podinfo's and
// others.
func PublicCharts(t testing.TB) string {
	t.Helper()
	return filepath.Join(download(t, flagger), "charts")
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

// chartImage is the artifact that helm push makes of a chart.
func chartImage(t testing.TB, packed []byte) v1.Image {
	t.Helper()
	const config, content = types.MediaType("application/vnd.cncf.helm.config.v1+json"), types.MediaType("application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), config)
	image, err := mutate.Append(image, mutate.Addendum{Layer: static.NewLayer(packed, content), MediaType: content})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// push pushes an artifact.
func (r *Registry) push(t testing.TB, repository string, image v1.Image) {
	t.Helper()
	reference, err := name.ParseReference(r.Host+"/"+repository, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(reference, image); err != nil {
		t.Fatal(err)
	}
}
