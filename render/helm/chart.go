package helm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

func (s *source) folder(path string) (*chart.Chart, error) {
	f, err := readFolder(s.req, path)
	if err != nil {
		return nil, err
	}
	s.paths = append(s.paths, f.paths...)
	s.folders = append(s.folders, f)
	c, err := s.chart(f.files, f)
	return c, loadError(path, err)
}

func (s *source) archive(path string) (*chart.Chart, error) {
	data, err := files.OrDisk(s.req.Files).ReadFile(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read chart: %w", files.Cause(err)), "")
	}
	if abs, err := filepath.Abs(path); err == nil {
		s.paths = append(s.paths, abs)
	}
	c, err := s.packed(data)
	return c, loadError(path, err)
}

// packed returns the chart of an archive.
func (s *source) packed(data []byte) (*chart.Chart, error) {
	unpacked, err := loader.LoadArchiveFiles(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return s.chart(unpacked, nil)
}

// chart loads a chart, of a folder or of an archive.
func (s *source) chart(all []*loader.BufferedFile, f *folder) (*chart.Chart, error) {
	s.parts = append(s.parts, part{files: all, folder: f})
	return s.library.Load(all)
}

// loadError returns an error of the loader the place of the file that it names.
func loadError(path string, err error) error {
	if err == nil {
		return nil
	}
	at := diag.Position{File: path}
	m := regexp.MustCompile(`cannot load ((?:Chart|values|requirements)\.(?:yaml|lock))`).FindStringSubmatch(err.Error())
	cause := fmt.Errorf("load chart: %s", truncate(strings.ToValidUTF8(err.Error(), "?")))
	if m != nil && !strings.Contains(err.Error(), "subchart") {
		at = diag.Position{File: filepath.Join(path, m[1]), Line: yamlLine(err)}
		cause = fmt.Errorf("load chart: %w", yamlCause(errors.New(strings.TrimPrefix(err.Error(), "cannot load "+m[1]+": "))))
	}
	return diag.Input(at, cause, "")
}

// sortUnlisted puts subcharts into one order, which the loader takes from a map: helm itself prints the CRDs of those
// that Chart.yaml does not list in another order at each run.
func sortUnlisted(c *chart.Chart) {
	subs := slices.Clone(c.Dependencies())
	slices.SortStableFunc(subs, func(a, b *chart.Chart) int {
		return cmp.Or(strings.Compare(a.Name(), b.Name()), strings.Compare(a.Metadata.Version, b.Metadata.Version))
	})
	c.SetDependencies(subs...)
	for _, sub := range subs {
		sortUnlisted(sub)
	}
}
