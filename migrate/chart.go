package migrate

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// reloaderChart is the chart that installs Reloader.
const reloaderChart = "reloader"

// chartArguments returns the arguments that Stakater's chart makes of the values in a HelmRelease of Flux or an
// Application of Argo CD; ok reports whether the object installs that chart.
func chartArguments(o manifest.Object) (args []string, ok bool) {
	switch {
	case o.Kind == "HelmRelease" && o.Group() == "helm.toolkit.fluxcd.io":
		spec := o.Node.Get("spec")
		if spec.At("chart", "spec", "chart").StringValue() != reloaderChart &&
			spec.At("chartRef", "name").StringValue() != reloaderChart {
			return nil, false
		}
		namespace := cmp.Or(spec.Get("targetNamespace").StringValue(), o.Namespace)
		return argumentsOfValues(spec.Get("values"), namespace), true
	case o.Kind == "Application" && o.Group() == "argoproj.io":
		spec := o.Node.Get("spec")
		namespace := spec.At("destination", "namespace").StringValue()
		if args, ok := sourceArguments(spec.Get("source"), namespace); ok {
			return args, true
		}
		for source := range spec.Get("sources").Items() {
			if args, ok := sourceArguments(source, namespace); ok {
				return args, true
			}
		}
	}
	return nil, false
}

// sourceArguments returns the arguments of a source of an Application that installs into a namespace.
func sourceArguments(source manifest.Node, namespace string) (args []string, ok bool) {
	chart := source.Get("chart").StringValue()
	if chart != reloaderChart && !strings.HasSuffix(chart, "/"+reloaderChart) &&
		!strings.HasSuffix(source.Get("repoURL").StringValue(), "/charts/"+reloaderChart) {
		return nil, false
	}
	helm := source.Get("helm")
	if values := helm.Get("valuesObject"); values.IsMap() {
		return argumentsOfValues(values, namespace), true
	}
	if d, err := manifest.Parse([]byte(helm.Get("values").StringValue())); err == nil && d != nil {
		return argumentsOfValues(d.Root(), namespace), true
	}
	return nil, true
}

// argumentsOfValues returns the arguments that the chart writes for values, where they change what is restarted, of a
// release in a namespace.
func argumentsOfValues(values manifest.Node, namespace string) (args []string) {
	v := values.Get("reloader")
	on := func(field string) bool { return v.Get(field).StringValue() == "true" }
	add := func(ok bool, arg string) {
		if ok {
			args = append(args, arg)
		}
	}
	add(on("ignoreSecrets"), "--resources-to-ignore=secrets")
	add(on("ignoreConfigMaps"), "--resources-to-ignore=configmaps")
	var ignored []string
	if on("ignoreJobs") {
		ignored = append(ignored, "jobs")
	}
	if on("ignoreCronJobs") {
		ignored = append(ignored, "cronjobs")
	}
	add(len(ignored) > 0, "--ignored-workload-types="+strings.Join(ignored, ","))
	args = append(args, scopeOfValues(v, cmp.Or(values.Get("namespace").StringValue(), namespace))...)
	selector := itemsOf(v.Get("resourceLabelSelector"))
	add(selector != "", "--resource-label-selector="+selector)
	add(on("enableCSIIntegration"), "--enable-csi-integration=true")
	custom := v.Get("custom_annotations")
	for _, key := range [][2]string{{"configmap", "--configmap-annotation="}, {"secret", "--secret-annotation="},
		{"auto", "--auto-annotation="}, {"secret_auto", "--secret-auto-annotation="},
		{"configmap_auto", "--configmap-auto-annotation="}, {"search", "--auto-search-annotation="},
		{"match", "--search-match-annotation="}, {"ignore", "--ignore-annotation="},
		{"pausePeriod", "--pause-deployment-annotation="}} {
		text := strings.Clone(custom.Get(key[0]).StringValue())
		add(text != "", key[1]+text)
	}
	add(on("isArgoRollouts"), "--is-Argo-Rollouts=true")
	add(on("autoReloadAll"), "--auto-reload-all=true")
	return args
}

// scopeOfValues returns the arguments about namespaces, of a release in one. The chart adds that to a list; without a
// list and with watchGlobally: false it has a variable for it, which an argument stands for here.
func scopeOfValues(v manifest.Node, namespace string) (args []string) {
	global := v.Get("watchGlobally").StringValue() != "false"
	listed := itemsOf(v.Get("namespaces"))
	if scope := strings.Trim(namespace+","+listed, ","); scope != "" && (listed != "" || !global) {
		args = append(args, "--namespaces="+scope)
	}
	if !global {
		return args // the chart leaves the others out
	}
	for _, list := range [][2]string{
		{"ignoreNamespaces", "--namespaces-to-ignore="}, {"namespaceSelector", "--namespace-selector="},
	} {
		if items := itemsOf(v.Get(list[0])); items != "" {
			args = append(args, list[1]+items)
		}
	}
	return args
}

// itemsOf returns a list, or a text that is one already, with commas.
func itemsOf(n manifest.Node) string {
	var items []string
	for item := range n.Items() {
		items = append(items, item.StringValue())
	}
	return strings.Clone(n.StringValue()) + strings.Join(items, ",")
}

// unreadValues returns where an object that installs the chart takes values from which are not read here: of these the
// arguments lack what they set.
func unreadValues(o manifest.Object) (out []string) {
	spec := o.Node.Get("spec")
	for from := range spec.Get("valuesFrom").Items() {
		out = append(out, "valuesFrom "+from.Get("kind").StringValue()+"/"+from.Get("name").StringValue())
	}
	sources := []manifest.Node{spec.Get("source")}
	for source := range spec.Get("sources").Items() {
		sources = append(sources, source)
	}
	for _, source := range sources {
		if _, ok := sourceArguments(source, ""); !ok {
			continue
		}
		for _, list := range []string{"parameters", "fileParameters"} {
			for p := range source.At("helm", list).Items() {
				out = append(out, list+" "+p.Get("name").StringValue())
			}
		}
		for file := range source.At("helm", "valueFiles").Items() {
			out = append(out, "valueFiles "+file.StringValue())
		}
	}
	return out
}
