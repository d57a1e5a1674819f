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
	return c, loadError(path, err, f.files)
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
	return c, loadError(path, err, []*loader.BufferedFile{{Name: filepath.Base(path), Data: data}})
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

// loadError returns an error of the loader with the place of the file that it names, and which of the files that were
// read is none yet.
func loadError(path string, err error, read []*loader.BufferedFile) error {
	if err == nil {
		return nil
	}
	at := diag.Position{File: path}
	m := regexp.MustCompile(`cannot load ((?:Chart|values|requirements)\.(?:yaml|lock))`).FindStringSubmatch(err.Error())
	cause := fmt.Errorf("load chart: %s", truncate(strings.ToValidUTF8(err.Error(), "?")))
	if m != nil && !strings.Contains(err.Error(), "subchart") {
		at = diag.Position{File: filepath.Join(path, m[1]), Line: yamlLine(err)}
		text := strings.TrimPrefix(err.Error(), "cannot load "+m[1]+": ")
		cause = fmt.Errorf("load chart: %w", yamlCause(errors.New(text), "what "+m[1]+" holds"))
	}
	hint := ""
	for _, f := range read {
		if bytes.HasPrefix(f.Data, []byte(files.PointerHead)) {
			hint = f.Name + " is a pointer of Git LFS: git lfs pull fetches what it stands for."
		}
	}
	return diag.Input(at, cause, hint)
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
