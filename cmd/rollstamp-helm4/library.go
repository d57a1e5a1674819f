package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	load4 "helm.sh/helm/v4/pkg/chart/v2/loader"
	util4 "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/helm/order"
)

// version is what charts see as .Capabilities.HelmVersion.Version: that of the linked helm, as its releases spell it.
const version = "v4.3.1"

// helm4 is Helm 4's library. What it gets and returns is of the types of Helm 3.
type helm4 struct{}

var _ helm.Library = helm4{}

func (helm4) Capabilities(kubeVersion string, apis []string) (helm.Capabilities, error) {
	kube, err := common.ParseKubeVersion(kubeVersion)
	if err != nil {
		return helm.Capabilities{}, err
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	caps.HelmVersion.Version = version
	caps.APIVersions = append(caps.APIVersions[:len(caps.APIVersions):len(caps.APIVersions)], apis...)
	return helm.Capabilities{KubeVersion: kube.Version, Compatible: kube.String(), Templates: caps}, nil
}

func (helm4) Load(files []*loader.BufferedFile) (*chart.Chart, error) {
	all := make([]*archive.BufferedFile, len(files))
	for i, f := range files {
		all[i] = &archive.BufferedFile{Name: f.Name, Data: f.Data}
	}
	c, err := load4.LoadFiles(all)
	if err != nil {
		return nil, err
	}
	return newConverter().older(c), nil
}

func (helm4) Process(c *chart.Chart, values map[string]any) error {
	if v := c.Metadata.APIVersion; v != chart.APIVersionV1 && v != chart.APIVersionV2 {
		return fmt.Errorf("Helm 4 renders no charts of apiVersion %s; use %s in Chart.yaml", v, chart.APIVersionV2)
	}
	convert := newConverter()
	newer := convert.newer(c)
	if err := util4.ProcessDependencies(newer, values); err != nil {
		return err
	}
	out := convert.older(newer)
	c.Metadata, c.Values = out.Metadata, out.Values
	c.SetDependencies(out.Dependencies()...)
	return nil
}

func (helm4) Values(
	c *chart.Chart, values map[string]any, o chartutil.ReleaseOptions, caps helm.Capabilities,
) (chartutil.Values, error) {
	const skipSchema = true // see validate
	kube, _ := caps.Templates.(*common.Capabilities)
	vals, err := commonutil.ToRenderValuesWithSchemaValidation(newConverter().newer(c), values, common.ReleaseOptions(o),
		kube, skipSchema)
	if err != nil {
		return nil, err
	}
	out := chartutil.Values(vals)
	if table, ok := out["Values"].(common.Values); ok {
		out["Values"] = chartutil.Values(table)
	}
	return out, nil
}

func (helm4) Execute(c *chart.Chart, vals chartutil.Values, dns helm.DNS) (map[string]string, error) {
	top := make(common.Values, len(vals))
	for key, value := range vals {
		if table, ok := value.(chartutil.Values); ok {
			value = common.Values(table)
		}
		top[key] = value
	}
	files, err := engine.Engine{EnableDNS: bool(dns)}.RenderWithContext(context.Background(), newConverter().newer(c), top)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return files, nil
}

func (helm4) Rules() order.Rules {
	return order.Rules{Kinds: releaseutil.InstallOrder, Split: order.SplitLines}
}
