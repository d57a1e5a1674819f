package helm

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// DefaultKubeVersion is what charts see where --kube-version is not given: the version that the linked k8s.io/client-go
// belongs to, as in a released helm. The library by itself would say v1.20.0.
const DefaultKubeVersion = "v1.37.0"

// version is what charts see as .Capabilities.HelmVersion.Version: that of the linked helm, as its releases spell it.
const version = "v3.22.0"

const (
	defaultReleaseName = "release-name"
	notesSuffix        = "NOTES.txt"
)

// release is one chart with all that is to be rendered into it.
type release struct {
	req       render.Request
	name      string
	namespace string
	library   Library
	caps      Capabilities
	values    map[string]any // the user's
	chart     *chart.Chart
	folders   []*folder // that the chart was read from
	places    places
	uncut     bool // errors are not shortened: whoever asked does so
}

// newRelease takes from req what needs no file.
func newRelease(req render.Request, library Library) (*release, error) {
	r := &release{req: req, library: library, namespace: cmp.Or(req.Namespace, render.DefaultNamespace)}
	o := req.Helm
	if o.ReleaseName != "" && o.NameTemplate != "" {
		return nil, diag.Usage(errors.New("--name-template and a release name are set"), "Pass one of the two.")
	}
	name, err := templatedName(o.NameTemplate)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("execute --name-template: %w", err), "")
	}
	r.name = cmp.Or(o.ReleaseName, name, defaultReleaseName)
	if o.NameTemplate != "" {
		r.name = name
	}
	if err := chartutil.ValidateReleaseName(r.name); err != nil {
		return nil, diag.Usage(fmt.Errorf("use release name %q: %w", r.name, err), "")
	}
	r.caps, err = library.Capabilities(cmp.Or(o.KubeVersion, DefaultKubeVersion), o.APIVersions)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("parse --kube-version %q: %w", o.KubeVersion, err), "Write it as 1.34.0.")
	}
	return r, nil
}

func templatedName(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, err := template.New("name-template").Funcs(sprig.TxtFuncMap()).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), err
}

// withSubcharts adds c and the subcharts that are switched on to list.
func withSubcharts(c *chart.Chart, list []*chart.Chart) []*chart.Chart {
	list = append(list, c)
	for _, sub := range c.Dependencies() {
		list = withSubcharts(sub, list)
	}
	return list
}

// position returns the place of a chart file that is named as helm names it: CHART/charts/SUBCHART/templates/NAME.
func (r *release) position(name string, line int) diag.Position {
	for dir := name; ; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 { // a chart that nothing is known of
			_, below, _ := strings.Cut(name, "/")
			return diag.Position{File: filepath.Join(r.req.Path, filepath.FromSlash(below)), Line: line}
		}
		dir = dir[:i]
		if place, ok := r.places[dir]; ok {
			return diag.Position{File: filepath.Join(place, filepath.FromSlash(name[i:])), Line: line}
		}
	}
}
