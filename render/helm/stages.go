package helm

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm/determinism"
	"github.com/rollstamp/rollstamp/render/helm/order"
)

// render renders the chart, and a second time where it could come out differently.
func (r *release) render() (*render.Output, error) {
	if err := r.library.Process(r.chart, r.values); err != nil {
		return nil, r.fail(err)
	}
	if r.req.Helm.DropNulls {
		dropNulls(r.chart, r.values)
	}
	r.places = findPlaces(r.chart, r.req.Path, r.folders)
	vals, err := r.renderValues()
	if err != nil {
		return nil, err
	}
	if err := r.validate(vals["Values"]); err != nil {
		return nil, err
	}
	if err := r.fitsKubernetes(); err != nil {
		return nil, err
	}
	charts := withSubcharts(r.chart, nil)
	determinism.SortKeys(charts)
	table, _ := asTable(vals["Values"])
	survey := determinism.Look(charts, table,
		determinism.Options{DNS: r.req.Helm.EnableDNS, RandomName: r.req.Helm.NameTemplate != ""})
	first, err := r.firstRender(survey, vals)
	if err != nil {
		return nil, err
	}
	out, err := r.assemble(first.result.Files)
	if err != nil {
		return nil, err
	}
	out.Findings = slices.Concat(out.Findings, r.missingDependencies(charts), r.keysTwice())
	if at := survey.Capabilities(); at != nil && r.req.Helm.KubeVersion == "" {
		out.Findings = append(out.Findings, diag.New(diag.Capabilities, "",
			fmt.Sprintf("chart %s reads .Capabilities, and no Kubernetes version is pinned; it sees %s", r.chart.Name(),
				r.caps.KubeVersion)).
			At(r.position(at.Template, at.Line)))
	}
	if !r.req.Once {
		out.SecondRender, err = r.secondRender(survey, first)
	}
	return out, err
}

// firstRender is what came out of the first render, and where a second one may differ what templates saw in it.
type firstRender struct {
	result determinism.First
	values chartutil.Values // as they were before the templates saw them
}

// firstRender renders the templates. Where a second render may differ, it finds out whether the templates are isolated:
// none left anything behind in the values that others see.
func (r *release) firstRender(survey *determinism.Survey, vals chartutil.Values) (firstRender, error) {
	if r.req.Once || !survey.MayDiffer() {
		files, err := r.execute(vals)
		return firstRender{result: determinism.First{Files: files}}, err
	}
	before := cloneValues(vals)
	witness := determinism.Watch(r.chart)
	files, err := r.execute(vals)
	witness.Dismiss()
	switch {
	case err != nil && witness.IsCauseOf(err):
		files, err = r.execute(cloneValues(before))
		return firstRender{determinism.First{Files: files}, before}, err
	case err != nil:
		return firstRender{}, err
	}
	return firstRender{determinism.First{Files: files, Isolated: witness.Hear(files, vals, before)}, before}, nil
}

// secondRender returns the text of a second render, nil where nothing comes out differently from the first.
func (r *release) secondRender(survey *determinism.Survey, first firstRender) ([]byte, error) {
	again := func(change func(map[string]any) map[string]any) (map[string]string, error) {
		return r.again(first.values, change)
	}
	files, err := survey.SecondRender(first.result, again)
	if err != nil || files == nil {
		return nil, err
	}
	out, err := r.assemble(files)
	if err != nil {
		return nil, err
	}
	return out.Text, nil
}

// again renders the chart once more, with its values after change, or as they are where that is nil.
func (r *release) again(
	values chartutil.Values, change func(map[string]any) map[string]any,
) (map[string]string, error) {
	vals := cloneValues(values)
	if t := r.req.Helm.NameTemplate; t != "" {
		name, err := templatedName(t)
		if err != nil {
			return nil, r.fail(err)
		}
		r.name = name
		vals["Release"].(map[string]any)["Name"] = name
	}
	if change != nil {
		table, _ := asTable(vals["Values"])
		vals["Values"] = chartutil.Values(change(table))
	}
	return r.execute(vals)
}

func (r *release) fitsKubernetes() error {
	want := r.chart.Metadata.KubeVersion
	if want == "" || chartutil.IsCompatibleRange(want, r.caps.Compatible) {
		return nil
	}
	return diag.Input(r.position(path.Join(r.chart.Name(), "Chart.yaml"), 0),
		fmt.Errorf("chart requires kubeVersion %s, which is incompatible with Kubernetes %s", want,
			r.caps.KubeVersion),
		"Set the cluster's version with --kube-version.")
}

// execute renders the templates, by their names, notes apart. They may change vals.
func (r *release) execute(vals chartutil.Values) (map[string]string, error) {
	dns := DNS(r.req.Helm.EnableDNS)
	restore := withoutCopies(withSubcharts(r.chart, nil))
	files, err := r.library.Execute(r.chart, vals, dns)
	restore()
	if err != nil && strings.HasPrefix(err.Error(), "parse error") { // Helm names the first copy, and has executed none
		files, err = r.library.Execute(r.chart, vals, dns)
	}
	if err != nil {
		return nil, r.fail(err)
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, notesSuffix) })
	return files, nil
}

// assemble makes the stream of rendered templates.
func (r *release) assemble(files map[string]string) (*render.Output, error) {
	docs, err := order.Sort(files, r.rules())
	if err != nil {
		return nil, r.fail(err)
	}
	return r.print(docs)
}

// renderValues returns what templates see.
func (r *release) renderValues() (chartutil.Values, error) {
	o := chartutil.ReleaseOptions{
		Name: r.name, Namespace: r.namespace, Revision: 1,
		IsInstall: !r.req.Helm.IsUpgrade, IsUpgrade: r.req.Helm.IsUpgrade,
	}
	vals, err := r.library.Values(r.chart, r.values, o, r.caps)
	if err != nil {
		return nil, r.fail(err)
	}
	return vals, nil
}
