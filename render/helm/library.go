package helm

import (
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/rollstamp/rollstamp/render/helm/order"
)

// Library is what a render takes of Helm's library. Its types are those of Helm 3; the library of another version
// converts them.
type Library interface {
	// Capabilities returns what templates see as .Capabilities, for a version of Kubernetes and API versions beyond the
	// usual ones. An error says why the version is none.
	Capabilities(kubeVersion string, apis []string) (Capabilities, error)
	// Load returns the chart that files make, which are named from its folder.
	Load(files []*loader.BufferedFile) (*chart.Chart, error)
	// Process leaves out the subcharts that are switched off and imports values. It changes the chart.
	Process(c *chart.Chart, values map[string]any) error
	// Values returns what templates see.
	Values(
		c *chart.Chart, values map[string]any, o chartutil.ReleaseOptions, caps Capabilities,
	) (chartutil.Values, error)
	// Execute renders the templates, by their names. They may change vals.
	Execute(c *chart.Chart, vals chartutil.Values, dns DNS) (map[string]string, error)
	// Rules returns how rendered documents are told apart and ordered.
	Rules() order.Rules
}

// Capabilities are what is known of a cluster.
type Capabilities struct {
	KubeVersion string // as templates see it
	Compatible  string // as it is held against a chart's kubeVersion
	Templates   any    // what templates see as .Capabilities
}

// DNS reports whether templates may ask for the address of a host.
type DNS bool

// helm3 is Helm 3's library, in this process.
type helm3 struct{}

func (helm3) Capabilities(kubeVersion string, apis []string) (Capabilities, error) {
	kube, err := chartutil.ParseKubeVersion(kubeVersion)
	if err != nil {
		return Capabilities{}, err
	}
	caps := chartutil.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	caps.HelmVersion.Version = version
	caps.APIVersions = append(caps.APIVersions[:len(caps.APIVersions):len(caps.APIVersions)], apis...)
	return Capabilities{KubeVersion: kube.Version, Compatible: kube.String(), Templates: caps}, nil
}

func (helm3) Load(files []*loader.BufferedFile) (*chart.Chart, error) { return loader.LoadFiles(files) }

func (helm3) Process(c *chart.Chart, values map[string]any) error {
	return chartutil.ProcessDependenciesWithMerge(c, values)
}

func (helm3) Values(
	c *chart.Chart, values map[string]any, o chartutil.ReleaseOptions, caps Capabilities,
) (chartutil.Values, error) {
	const skipSchema = true // see validate
	kube, _ := caps.Templates.(*chartutil.Capabilities)
	return chartutil.ToRenderValuesWithSchemaValidation(c, values, o, kube, skipSchema)
}

func (helm3) Execute(c *chart.Chart, vals chartutil.Values, dns DNS) (map[string]string, error) {
	return engine.Engine{EnableDNS: bool(dns)}.Render(c, vals)
}

func (helm3) Rules() order.Rules { return order.Helm3() }
