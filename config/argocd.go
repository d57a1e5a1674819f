package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

// ArgoCD are the options of an application that Argo CD renders through us: those that its Application would hold in
// spec.source, by the same names. What Argo CD hands over with a call counts before them.
type ArgoCD struct {
	// Options of a chart, as spec.source.helm of an Application has them.
	Helm *ArgoHelm `yaml:"helm"`
	// Options of a kustomization, as spec.source.kustomize of an Application has them.
	Kustomize *ArgoKustomize `yaml:"kustomize"`
	// Options of a folder of plain manifests, as spec.source.directory of an Application has them.
	Directory *ArgoDirectory `yaml:"directory"`
	// Folders of this repository, from its top, or URL@COMMIT of other repositories, that stand for the other sources
	// of an Application: what is written as $NAME/... in valueFiles is looked for in the folder of that NAME.
	Refs map[string]string `yaml:"refs"`
	// Takes an empty render, which is refused otherwise: Argo CD would delete everything.
	AllowEmpty bool `yaml:"allowEmpty"`
}

// ArgoHelm is spec.source.helm of an Application.
type ArgoHelm struct {
	// Files with values, relative to the chart, or with a leading slash from the top of the repository; globs with **
	// take several.
	ValueFiles []string `json:"valueFiles,omitempty" yaml:"valueFiles"`
	// Single values, as helm's --set.
	Parameters []ArgoHelmParameter `json:"parameters,omitempty" yaml:"parameters"`
	// Name of the release; the application's name where absent.
	ReleaseName string `json:"releaseName,omitempty" yaml:"releaseName"`
	// Values as YAML text, after all files.
	Values string `json:"values,omitempty" yaml:"values"`
	// Single values from files, as helm's --set-file.
	FileParameters []ArgoHelmFile `json:"fileParameters,omitempty" yaml:"fileParameters"`
	// Version of Helm, 3 or 4: what a plugin renders with, unless its operator says so. Argo CD itself does not use it.
	Version string `json:"version,omitempty" yaml:"version"`
	// Taken and not used: credentials come from the operator's files alone.
	PassCredentials bool `json:"passCredentials,omitempty" yaml:"passCredentials"`
	// Leaves out files with values that are not there.
	IgnoreMissingValueFiles bool `json:"ignoreMissingValueFiles,omitempty" yaml:"ignoreMissingValueFiles"`
	// Leaves custom resource definitions out.
	SkipCrds bool `json:"skipCrds,omitempty" yaml:"skipCrds"`
	// Values as a tree, instead of values.
	ValuesObject Tree `json:"valuesObject,omitempty" yaml:"valuesObject"`
	// Namespace of the release; the destination's where absent.
	Namespace string `json:"namespace,omitempty" yaml:"namespace"`
	// Kubernetes version that the chart sees; the destination's where absent.
	KubeVersion string `json:"kubeVersion,omitempty" yaml:"kubeVersion"`
	// API versions that the chart sees; the destination's where absent.
	APIVersions []string `json:"apiVersions,omitempty" yaml:"apiVersions"`
	// Leaves tests out.
	SkipTests bool `json:"skipTests,omitempty" yaml:"skipTests"`
	// Does not check values against the chart's schema.
	SkipSchemaValidation bool `json:"skipSchemaValidation,omitempty" yaml:"skipSchemaValidation"`
}

// ArgoHelmParameter is an item of spec.source.helm.parameters.
type ArgoHelmParameter struct {
	// Path of the value, with dots.
	Name string `json:"name,omitempty" yaml:"name"`
	// The value.
	Value string `json:"value,omitempty" yaml:"value"`
	// Takes what looks like a number or a boolean for a string.
	ForceString bool `json:"forceString,omitempty" yaml:"forceString"`
}

// ArgoHelmFile is an item of spec.source.helm.fileParameters.
type ArgoHelmFile struct {
	// Path of the value, with dots.
	Name string `json:"name,omitempty" yaml:"name"`
	// The file whose content is the value, as in valueFiles but without globs.
	Path string `json:"path,omitempty" yaml:"path"`
}

// ArgoKustomize is spec.source.kustomize of an Application.
type ArgoKustomize struct {
	// Prefix of all names.
	NamePrefix string `json:"namePrefix,omitempty" yaml:"namePrefix"`
	// Suffix of all names.
	NameSuffix string `json:"nameSuffix,omitempty" yaml:"nameSuffix"`
	// Images to replace: NAME=NEWNAME:TAG, NAME:TAG, NAME@DIGEST.
	Images []string `json:"images,omitempty" yaml:"images"`
	// Labels of all objects.
	CommonLabels map[string]string `json:"commonLabels,omitempty" yaml:"commonLabels"`
	// Version of kustomize; there is one only.
	Version string `json:"version,omitempty" yaml:"version"`
	// Annotations of all objects.
	CommonAnnotations map[string]string `json:"commonAnnotations,omitempty" yaml:"commonAnnotations"`
	// Replaces labels that the kustomization has, which is an error otherwise.
	ForceCommonLabels bool `json:"forceCommonLabels,omitempty" yaml:"forceCommonLabels"`
	// Replaces annotations that the kustomization has, which is an error otherwise.
	ForceCommonAnnotations bool `json:"forceCommonAnnotations,omitempty" yaml:"forceCommonAnnotations"`
	// Namespace of all objects.
	Namespace string `json:"namespace,omitempty" yaml:"namespace"`
	// Expands $NAME in the values of commonAnnotations.
	CommonAnnotationsEnvsubst bool `json:"commonAnnotationsEnvsubst,omitempty" yaml:"commonAnnotationsEnvsubst"`
	// Numbers of replicas.
	Replicas []ArgoReplica `json:"replicas,omitempty" yaml:"replicas"`
	// Patches after those of the kustomization.
	Patches []ArgoPatch `json:"patches,omitempty" yaml:"patches"`
	// Components after those of the kustomization.
	Components []string `json:"components,omitempty" yaml:"components"`
	// Leaves out components that are not there.
	IgnoreMissingComponents bool `json:"ignoreMissingComponents,omitempty" yaml:"ignoreMissingComponents"`
	// Keeps commonLabels out of selectors.
	LabelWithoutSelector bool `json:"labelWithoutSelector,omitempty" yaml:"labelWithoutSelector"`
	// Kubernetes version that charts see; the destination's where absent.
	KubeVersion string `json:"kubeVersion,omitempty" yaml:"kubeVersion"`
	// API versions that charts see; the destination's where absent.
	APIVersions []string `json:"apiVersions,omitempty" yaml:"apiVersions"`
	// Writes commonLabels into pod templates although not into selectors.
	LabelIncludeTemplates bool `json:"labelIncludeTemplates,omitempty" yaml:"labelIncludeTemplates"`
}

// ArgoReplica is an item of spec.source.kustomize.replicas.
type ArgoReplica struct {
	// Name of the workload.
	Name string `json:"name" yaml:"name"`
	// How many.
	Count Count `json:"count" yaml:"count"`
}

// ArgoPatch is an item of spec.source.kustomize.patches.
type ArgoPatch struct {
	// File with the patch, relative to the kustomization.
	Path string `json:"path,omitempty" yaml:"path"`
	// The patch itself.
	Patch string `json:"patch,omitempty" yaml:"patch"`
	// Which objects are patched.
	Target *ArgoTarget `json:"target,omitempty" yaml:"target"`
	// Options of kustomize, such as allowNameChange.
	Options map[string]bool `json:"options,omitempty" yaml:"options"`
}

// ArgoTarget selects the objects of a patch.
type ArgoTarget struct {
	// API group.
	Group string `json:"group,omitempty" yaml:"group"`
	// API version.
	Version string `json:"version,omitempty" yaml:"version"`
	// Kind.
	Kind string `json:"kind,omitempty" yaml:"kind"`
	// Name, a regular expression.
	Name string `json:"name,omitempty" yaml:"name"`
	// Namespace, a regular expression.
	Namespace string `json:"namespace,omitempty" yaml:"namespace"`
	// Selector of annotations.
	AnnotationSelector string `json:"annotationSelector,omitempty" yaml:"annotationSelector"`
	// Selector of labels.
	LabelSelector string `json:"labelSelector,omitempty" yaml:"labelSelector"`
}

// ArgoDirectory is spec.source.directory of an Application.
type ArgoDirectory struct {
	// Reads the folders below, too.
	Recurse bool `json:"recurse,omitempty" yaml:"recurse"`
	// What Jsonnet files see.
	Jsonnet ArgoJsonnet `json:"jsonnet,omitzero" yaml:"jsonnet"`
	// Glob of files that are left out.
	Exclude string `json:"exclude,omitempty" yaml:"exclude"`
	// Glob of the files that are read.
	Include string `json:"include,omitempty" yaml:"include"`
	// Looks at files with other endings than .yaml, .yml, .json and .jsonnet, too.
	DisableExtensionFilter bool `json:"disableExtensionFilter,omitempty" yaml:"disableExtensionFilter"`
}

// ArgoJsonnet is spec.source.directory.jsonnet of an Application.
type ArgoJsonnet struct {
	// External variables.
	ExtVars []ArgoJsonnetVar `json:"extVars,omitempty" yaml:"extVars"`
	// Arguments of the function that a file is.
	TLAs []ArgoJsonnetVar `json:"tlas,omitempty" yaml:"tlas"`
	// Folders with libraries, from the top of the repository.
	Libs []string `json:"libs,omitempty" yaml:"libs"`
}

// ArgoJsonnetVar is a variable or an argument of Jsonnet.
type ArgoJsonnetVar struct {
	// Its name.
	Name string `json:"name" yaml:"name"`
	// Its value.
	Value string `json:"value" yaml:"value"`
	// Takes the value for Jsonnet instead of a string.
	Code bool `json:"code,omitempty" yaml:"code"`
}

// Tree is a mapping of any content, as JSON; empty where none is given.
type Tree json.RawMessage

// MarshalJSON returns the tree, or null.
func (t Tree) MarshalJSON() ([]byte, error) { return json.RawMessage(t).MarshalJSON() }

// UnmarshalJSON takes a mapping, or null for none.
func (t *Tree) UnmarshalJSON(b []byte) error {
	*t = nil
	if string(b) == "null" {
		return nil
	}
	if len(b) == 0 || b[0] != '{' {
		return errors.New("want a map")
	}
	*t = append(Tree{}, b...)
	return nil
}

// fromNode takes a mapping of a YAML file.
func (t *Tree) fromNode(n *yaml.Node) error {
	value := map[string]any{}
	if n.Kind != yaml.MappingNode || n.Decode(&value) != nil {
		return errors.New("want a map whose keys are strings")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return errors.New("want a map whose keys are strings") // the library's message may quote a value
	}
	*t = text
	return nil
}

// Count is a whole number that may be written as a string.
type Count string

// Int returns the number.
func (c Count) Int() (int, error) {
	n, err := strconv.Atoi(string(c))
	if err != nil {
		return 0, fmt.Errorf("expected integer value for count. Received: %s", string(c))
	}
	return n, nil
}

// MarshalJSON returns a number where the text is one.
func (c Count) MarshalJSON() ([]byte, error) {
	if _, err := c.Int(); err == nil {
		return []byte(c), nil
	}
	return json.Marshal(string(c))
}

// UnmarshalJSON takes a number or a string.
func (c *Count) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = Count(text)
		return nil
	}
	n, err := strconv.Atoi(string(b))
	*c = Count(strconv.Itoa(n))
	if err != nil {
		return errors.New("want a whole number")
	}
	return nil
}

func (c *Count) fromNode(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!str" {
		return errors.New("want a whole number")
	}
	*c = Count(n.Value)
	return nil
}

// argoOptions returns the names of the options for Argo CD that a file sets. Their values may be anybody's.
func argoOptions(where map[string]diag.Position) []string {
	var out []string
	for field := range where {
		option, is := strings.CutPrefix(field, "argocd.")
		if is && (strings.Count(option, ".") == 1 || option == "refs" || option == "allowEmpty") {
			out = append(out, option)
		}
	}
	slices.Sort(out)
	return out
}
