package helm

import (
	"fmt"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/login"
	"github.com/rollstamp/rollstamp/render"
)

// source loads the requested chart with its dependencies, and remembers what it read.
type source struct {
	req     render.Request
	logins  login.Source
	library Library
	why     string
	paths   []string
	parts   []part            // what was loaded, the chart itself first
	folders []*folder         // the chart's own first
	indexes map[string]*index // of repositories, by URL
}

// part is the chart, or one that is added to it.
type part struct {
	files  []*loader.BufferedFile
	folder *folder // that they lie in; nil for those of an archive
}

// wanted is a dependency that is to be found.
type wanted struct {
	name, repository string
	version          string // one, or a range
}

func (s *source) refuseMissing(hint string, names ...string) error {
	what := "dependency is"
	if len(names) > 1 {
		what = "dependencies are"
	}
	return diag.Input(diag.Position{File: filepath.Join(s.req.Path, "Chart.yaml")},
		fmt.Errorf("%s missing in charts/: %s", what, strings.Join(names, ", ")), hint)
}

func (s *source) failDependency(w wanted, err error, hint string) error {
	return diag.Input(diag.Position{File: filepath.Join(s.req.Path, "Chart.yaml")},
		fmt.Errorf("build dependency %s: %w", w.name, err), hint)
}

const ociScheme = "oci://"

// index is what we read of a repository's index.yaml.
type index struct {
	Entries map[string][]*indexEntry `json:"entries"`
}

type indexEntry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	Digest  string   `json:"digest"`
}
