package helm

import (
	"bytes"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// places reports where charts lie on disk, by what helm calls them (CHART/charts/SUBCHART). The two differ where a
// subchart has an alias, lies in a folder of another name or in an archive, or comes from elsewhere.
type places map[string]string

// findPlaces goes through the chart and the subcharts that are switched on. folders are those that were read, the
// chart's own first; there are none where it is an archive.
func findPlaces(c *chart.Chart, path string, folders []*folder) places {
	p := places{c.ChartFullPath(): path}
	if len(folders) > 0 {
		p.addSubcharts(c, folders[0], "", folders[1:])
	}
	return p
}

// addSubcharts notes the places of c's subcharts. c lies in the folder f, at rel, which is "" or ends in a slash.
func (p places) addSubcharts(c *chart.Chart, f *folder, rel string, others []*folder) {
	rel += "charts/"
	for _, sub := range c.Dependencies() {
		if at, ok := f.findUnpacked(sub, rel); ok {
			p[sub.ChartFullPath()] = filepath.Join(f.shown, at)
			p.addSubcharts(sub, f, at, others)
		} else if at, ok := f.findPacked(sub, rel); ok {
			p[sub.ChartFullPath()] = filepath.Join(f.shown, at)
		} else {
			p.addFromOtherFolder(sub, others)
		}
	}
}

// addFromOtherFolder looks for a dependency of another folder.
func (p places) addFromOtherFolder(sub *chart.Chart, folders []*folder) {
	for _, f := range folders {
		if f.holds("Chart.yaml", sub) {
			p[sub.ChartFullPath()] = f.shown
			p.addSubcharts(sub, f, "", nil)
			return
		}
	}
}

// findUnpacked finds the folder of a subchart below rel, with a slash at its end.
func (f *folder) findUnpacked(sub *chart.Chart, rel string) (string, bool) {
	for _, file := range f.files {
		name, ok := strings.CutPrefix(file.Name, rel)
		if dir, isManifest := strings.CutSuffix(name, "/Chart.yaml"); ok && isManifest && !strings.Contains(dir, "/") &&
			f.holds(file.Name, sub) {
			return rel + dir + "/", true
		}
	}
	return "", false
}

// findPacked finds the archive of a subchart, which is named by its version.
func (f *folder) findPacked(sub *chart.Chart, rel string) (string, bool) {
	for _, file := range f.files {
		if strings.HasPrefix(file.Name, rel) && strings.HasSuffix(file.Name, "-"+sub.Metadata.Version+".tgz") {
			return file.Name, true
		}
	}
	return "", false
}

// holds reports whether the file of that name is the Chart.yaml of c.
func (f *folder) holds(name string, c *chart.Chart) bool {
	for _, raw := range c.Raw {
		if raw.Name != "Chart.yaml" {
			continue
		}
		for _, file := range f.files {
			if file.Name == name {
				return bytes.Equal(file.Data, raw.Data)
			}
		}
	}
	return false
}
