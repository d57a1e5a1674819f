package helm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
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
	c, err := s.library.Load(all)
	if err != nil {
		err = s.firstError(all, err)
	}
	return c, err
}

// firstError returns the error of the first subchart, by name, that cannot be loaded; another error as it is. The
// loader ends with that of any, as it goes through them in another order each time.
func (s *source) firstError(all []*loader.BufferedFile, err error) error {
	var own []*loader.BufferedFile
	subcharts := map[string][]*loader.BufferedFile{}
	for _, f := range all {
		if rest, ok := strings.CutPrefix(f.Name, "charts/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			subcharts[name] = append(subcharts[name], f)
		} else {
			own = append(own, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(subcharts)) {
		if _, err := s.library.Load(slices.Concat(own, subcharts[name])); err != nil {
			return err
		}
	}
	return err
}

// loadError returns an error of the loader with the place of the file that it names, and which of the files that were
// read is none yet.
func loadError(path string, err error, read []*loader.BufferedFile) error {
	if err == nil {
		return nil
	}
	at := diag.Position{File: path}
	m := regexp.MustCompile(`cannot load ((?:Chart|values|requirements)\.(?:yaml|lock))`).FindStringSubmatch(err.Error())
	cause, hint := fmt.Errorf("load chart: %s", truncate(strings.ToValidUTF8(err.Error(), "?"))), ""
	if m != nil {
		name, text := brokenFile(read, m[1], err)
		_, what, _ := strings.Cut(err.Error(), "cannot load "+m[1]+": ")
		known := unreadable(filepath.Join(path, name), text,
			fmt.Errorf("load chart: %w", yamlCause(errors.New(what), "what belongs there")), yamlLine(err))
		at, cause, hint = known.Pos, known.Err, known.Hint
	}
	for _, f := range read {
		if bytes.HasPrefix(f.Data, []byte(files.PointerHead)) {
			hint = f.Name + " is a pointer of Git LFS: git lfs pull fetches what it stands for."
		}
	}
	return diag.Input(at, cause, hint)
}

// brokenFile returns the path, in the chart, of the file that an error of the loader is about, in the subcharts that it
// names one in another, and its text, where that was read by itself and not in an archive.
func brokenFile(read []*loader.BufferedFile, name string, err error) (path string, text []byte) {
	for _, m := range regexp.MustCompile(`unpacking subchart (\S+) in `).FindAllStringSubmatch(err.Error(), -1) {
		path += "charts/" + m[1] + "/"
	}
	path += name
	if i := slices.IndexFunc(read, func(f *loader.BufferedFile) bool { return f.Name == path }); i >= 0 {
		text = read[i].Data
	}
	return path, text
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
