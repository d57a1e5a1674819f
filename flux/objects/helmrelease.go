package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// HelmRelease is an object of that kind of helm-controller.
type HelmRelease struct {
	Meta
	Spec HelmReleaseSpec
}

// HelmReleaseSpec is spec of a HelmRelease. Either Chart or ChartRef is set.
type HelmReleaseSpec struct {
	Chart    *ChartTemplate `json:"chart"`
	ChartRef *Reference     `json:"chartRef"`

	ReleaseName      string `json:"releaseName"`
	TargetNamespace  string `json:"targetNamespace"`
	StorageNamespace string `json:"storageNamespace"`

	ValuesFrom         []ValuesFrom    `json:"valuesFrom"`
	Values             json.RawMessage `json:"values"` // an object, as JSON; nil where there is none
	PostRenderers      []PostRenderer  `json:"postRenderers"`
	PostRenderStrategy string          `json:"postRenderStrategy"` // "", nohooks, combined or separate
	CommonMetadata     *CommonMetadata `json:"commonMetadata"`
	Install            *Action         `json:"install"`
	Upgrade            *Action         `json:"upgrade"`
	Test               *Test           `json:"test"`
	DriftDetection     *DriftDetection `json:"driftDetection"`

	DependsOn  []Dependency `json:"dependsOn"`
	KubeConfig *KubeConfig  `json:"kubeConfig"`
	Suspend    bool         `json:"suspend"`
}

// ChartTemplate is the HelmChart that helm-controller makes for a release.
type ChartTemplate struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec ChartSpec `json:"spec"`
}

// ChartSpec names a chart in a source.
type ChartSpec struct {
	Chart                    string    `json:"chart"`   // its name in a HelmRepository, else a path
	Version                  string    `json:"version"` // a range; "" and "*" are the newest
	SourceRef                Reference `json:"sourceRef"`
	ReconcileStrategy        string    `json:"reconcileStrategy"` // "", ChartVersion or Revision
	ValuesFiles              []string  `json:"valuesFiles"`
	IgnoreMissingValuesFiles bool      `json:"ignoreMissingValuesFiles"`
}

// ValuesFrom names a ConfigMap or Secret with values, in the release's namespace.
type ValuesFrom struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	ValuesKey  string `json:"valuesKey"`  // "" is values.yaml
	TargetPath string `json:"targetPath"` // "" merges the whole
	Optional   bool   `json:"optional"`
	Literal    bool   `json:"literal"`
}

// Entry returns the entry that it is of a HelmRelease.
func (v ValuesFrom) Entry(index int) Entry {
	return Entry{[]string{"valuesFrom"}, index, v.Kind, v.Name}
}

// Key returns the key with the values.
func (v ValuesFrom) Key() string {
	if v.ValuesKey == "" {
		return "values.yaml"
	}
	return v.ValuesKey
}

// PostRenderer is one step after the render of a chart.
type PostRenderer struct {
	Kustomize *struct {
		Patches []Patch `json:"patches"`
		Images  []Image `json:"images"`
	} `json:"kustomize"`
}

// Action is what install and upgrade have in common, as far as it changes what is rendered.
type Action struct {
	DisableHooks             bool   `json:"disableHooks"`
	DisableOpenAPIValidation bool   `json:"disableOpenAPIValidation"`
	DisableSchemaValidation  bool   `json:"disableSchemaValidation"`
	SkipCRDs                 bool   `json:"skipCRDs"`
	CRDs                     string `json:"crds"` // "", Skip, Create or CreateReplace
	CreateNamespace          bool   `json:"createNamespace"`
	PreserveValues           bool   `json:"preserveValues"`
	Force                    bool   `json:"force"` // of an upgrade: objects are replaced
}

// Test is whether the tests of the chart run.
type Test struct {
	Enable bool `json:"enable"`
}

// DriftDetection is whether helm-controller corrects what others change.
type DriftDetection struct {
	Mode   string       `json:"mode"`
	Ignore []IgnoreRule `json:"ignore"`
}

// check refuses what the API server refuses.
func (r *HelmRelease) check() error {
	s := r.Spec
	switch {
	case s.Chart == nil && s.ChartRef == nil:
		return r.Fail(errors.New("it has neither spec.chart nor spec.chartRef"),
			"Name its chart in one of them; a patch for another object is one under patches of a kustomization.")
	case s.Chart != nil && s.ChartRef != nil:
		return r.FailAt(errors.New("it has spec.chart and spec.chartRef"), "Keep one of them.", "chartRef")
	case !slices.Contains([]string{"", "nohooks", "combined", "separate"}, s.PostRenderStrategy):
		return r.FailAt(fmt.Errorf("spec.postRenderStrategy is %q", s.PostRenderStrategy),
			"It is nohooks, combined or separate.", "postRenderStrategy")
	case len(s.Values) > 0 && s.Values[0] != '{' && string(s.Values) != "null":
		return r.FailAt(errors.New("spec.values is not a mapping"), "Write the values as KEY: VALUE below it.", "values")
	}
	var err error
	if s.ChartRef != nil {
		err = r.checkReference("chartRef", *s.ChartRef, "OCIRepository", "HelmChart", "ExternalArtifact")
	} else if err = r.checkReference("chart.spec.sourceRef", s.Chart.Spec.SourceRef, "HelmRepository",
		"GitRepository", "Bucket"); err == nil && s.Chart.Spec.Chart == "" {
		err = r.FailAt(errors.New("spec.chart.spec has no chart"), "", "chart", "spec")
	}
	for i, from := range s.ValuesFrom {
		if err != nil {
			return err
		}
		err = r.checkValues(from.Entry(i))
	}
	return err
}
