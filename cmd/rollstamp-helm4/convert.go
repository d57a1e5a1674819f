package main

import (
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v4/pkg/chart/common"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
)

// converter turns charts of Helm 3's types into those of Helm 4, and back. A file that several charts have stays one.
type converter struct {
	older3 map[*common.File]*chart.File
	newer4 map[*chart.File]*common.File
}

func newConverter() *converter {
	return &converter{map[*common.File]*chart.File{}, map[*chart.File]*common.File{}}
}

// newer returns a chart as Helm 4's. The two share values, and the bytes of files.
func (v *converter) newer(c *chart.Chart) *v2.Chart {
	out := &v2.Chart{
		Raw: v.newerFiles(c.Raw), Metadata: newerMetadata(c.Metadata), Templates: v.newerFiles(c.Templates),
		Values: c.Values, Schema: c.Schema, Files: v.newerFiles(c.Files),
	}
	if c.Lock != nil {
		out.Lock = &v2.Lock{Generated: c.Lock.Generated, Digest: c.Lock.Digest,
			Dependencies: newerDependencies(c.Lock.Dependencies)}
	}
	for _, sub := range c.Dependencies() {
		out.AddDependency(v.newer(sub))
	}
	return out
}

// older is the other way.
func (v *converter) older(c *v2.Chart) *chart.Chart {
	out := &chart.Chart{
		Raw: v.olderFiles(c.Raw), Metadata: olderMetadata(c.Metadata), Templates: v.olderFiles(c.Templates),
		Values: c.Values, Schema: c.Schema, Files: v.olderFiles(c.Files),
	}
	if c.Lock != nil {
		out.Lock = &chart.Lock{Generated: c.Lock.Generated, Digest: c.Lock.Digest,
			Dependencies: olderDependencies(c.Lock.Dependencies)}
	}
	for _, sub := range c.Dependencies() {
		out.AddDependency(v.older(sub))
	}
	return out
}

func (v *converter) newerFiles(files []*chart.File) []*common.File {
	out := make([]*common.File, len(files))
	for i, f := range files {
		n, known := v.newer4[f]
		if !known {
			n = &common.File{Name: f.Name, Data: f.Data}
			v.newer4[f], v.older3[n] = n, f
		}
		out[i] = n
	}
	return out
}

func (v *converter) olderFiles(files []*common.File) []*chart.File {
	out := make([]*chart.File, len(files))
	for i, f := range files {
		o, known := v.older3[f]
		if !known {
			o = &chart.File{Name: f.Name, Data: f.Data}
			v.older3[f] = o
		}
		out[i] = o
	}
	return out
}

func newerMetadata(m *chart.Metadata) *v2.Metadata {
	if m == nil {
		return nil
	}
	out := &v2.Metadata{
		Name: m.Name, Home: m.Home, Sources: m.Sources, Version: m.Version, Description: m.Description,
		Keywords: m.Keywords, Icon: m.Icon, APIVersion: m.APIVersion, Condition: m.Condition, Tags: m.Tags,
		AppVersion: m.AppVersion, Deprecated: m.Deprecated, Annotations: m.Annotations, KubeVersion: m.KubeVersion,
		Dependencies: newerDependencies(m.Dependencies), Type: m.Type,
	}
	for _, one := range m.Maintainers {
		maintainer := v2.Maintainer(*one)
		out.Maintainers = append(out.Maintainers, &maintainer)
	}
	return out
}

func olderMetadata(m *v2.Metadata) *chart.Metadata {
	if m == nil {
		return nil
	}
	out := &chart.Metadata{
		Name: m.Name, Home: m.Home, Sources: m.Sources, Version: m.Version, Description: m.Description,
		Keywords: m.Keywords, Icon: m.Icon, APIVersion: m.APIVersion, Condition: m.Condition, Tags: m.Tags,
		AppVersion: m.AppVersion, Deprecated: m.Deprecated, Annotations: m.Annotations, KubeVersion: m.KubeVersion,
		Dependencies: olderDependencies(m.Dependencies), Type: m.Type,
	}
	for _, one := range m.Maintainers {
		maintainer := chart.Maintainer(*one)
		out.Maintainers = append(out.Maintainers, &maintainer)
	}
	return out
}

func newerDependencies(all []*chart.Dependency) []*v2.Dependency {
	var out []*v2.Dependency
	for _, one := range all {
		dependency := v2.Dependency(*one)
		out = append(out, &dependency)
	}
	return out
}

func olderDependencies(all []*v2.Dependency) []*chart.Dependency {
	var out []*chart.Dependency
	for _, one := range all {
		dependency := chart.Dependency(*one)
		out = append(out, &dependency)
	}
	return out
}
