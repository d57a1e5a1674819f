package migrate

import (
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
		return argumentsOfValues(spec.At("values", "reloader")), true
	case o.Kind == "Application" && o.Group() == "argoproj.io":
		spec := o.Node.Get("spec")
		if args, ok := sourceArguments(spec.Get("source")); ok {
			return args, true
		}
		for source := range spec.Get("sources").Items() {
			if args, ok := sourceArguments(source); ok {
				return args, true
			}
		}
	}
	return nil, false
}

// sourceArguments returns the arguments of a source of an Application.
func sourceArguments(source manifest.Node) (args []string, ok bool) {
	chart := source.Get("chart").StringValue()
	if chart != reloaderChart && !strings.HasSuffix(chart, "/"+reloaderChart) &&
		!strings.HasSuffix(source.Get("repoURL").StringValue(), "/charts/"+reloaderChart) {
		return nil, false
	}
	helm := source.Get("helm")
	if values := helm.Get("valuesObject"); values.IsMap() {
		return argumentsOfValues(values.Get("reloader")), true
	}
	if d, err := manifest.Parse([]byte(helm.Get("values").StringValue())); err == nil && d != nil {
		return argumentsOfValues(d.Root().Get("reloader")), true
	}
	return nil, true
}

// argumentsOfValues returns the arguments that the chart writes for values, where they change what is restarted.
func argumentsOfValues(v manifest.Node) (args []string) {
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
	for _, list := range [][2]string{{"namespaces", "--namespaces="}, {"ignoreNamespaces", "--namespaces-to-ignore="},
		{"namespaceSelector", "--namespace-selector="}, {"resourceLabelSelector", "--resource-label-selector="}} {
		items := itemsOf(v.Get(list[0]))
		add(items != "", list[1]+items)
	}
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

// itemsOf returns a list, or a text that is one already, with commas.
func itemsOf(n manifest.Node) string {
	var items []string
	for item := range n.Items() {
		items = append(items, item.StringValue())
	}
	return strings.Clone(n.StringValue()) + strings.Join(items, ",")
}
