package argocd

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// kustomize completes the request for a kustomization, with what Argo CD passes to kustomize edit and kustomize build.
func (b Build) kustomize(k *Kustomize, req *render.Request) ([]diag.Finding, error) {
	o := &req.Kustomize
	var err error
	if o.HelmKubeVersion, o.HelmAPIVersions, err = b.cluster(k.KubeVersion, k.APIVersions); err != nil {
		return nil, err
	}
	edits := render.KustomizeEdits{
		NamePrefix: k.NamePrefix, NameSuffix: k.NameSuffix, Namespace: k.Namespace,
		ForceLabels: k.ForceCommonLabels, LabelsWithoutSelector: k.LabelWithoutSelector,
		LabelsInTemplates: k.LabelIncludeTemplates,
		ForceAnnotations:  k.ForceCommonAnnotations,
	}
	for _, image := range k.Images {
		edits.Images = append(edits.Images, b.expand(image))
	}
	for _, r := range k.Replicas {
		count, err := r.Count.Int()
		if err != nil {
			return nil, usage("replicas "+r.Name, "Write a whole number.", "%w", err)
		}
		edits.Replicas = append(edits.Replicas, render.Replica{Name: r.Name, Count: count})
	}
	edits.Labels = b.expandValues(k.CommonLabels)
	edits.Annotations = maps.Clone(k.CommonAnnotations)
	if k.CommonAnnotationsEnvsubst {
		edits.Annotations = b.expandValues(k.CommonAnnotations)
	}
	for i, p := range k.Patches {
		text, err := json.Marshal(p)
		if err != nil {
			return nil, usage(fmt.Sprintf("patches[%d]", i), "", "cannot be written as JSON")
		}
		edits.Patches = append(edits.Patches, text)
	}
	if err := checkEdits(&edits); err != nil {
		return nil, err
	}
	edits.Components, req.Probed = b.components(k)
	o.Edits = &edits
	if k.Version != "" {
		return []diag.Finding{unusedOption("version", "there is one version of kustomize in this program")}, nil
	}
	return nil, nil
}

func (b Build) expandValues(values map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = b.expand(value)
	}
	return out
}

// components returns the components to add. If missing ones are ignored, only those in the repository are kept: Argo
// CD ignores remote ones too. probed are the paths at which there may be none.
func (b Build) components(k *Kustomize) (found, probed []string) {
	if !k.IgnoreMissingComponents {
		return k.Components, nil
	}
	for _, c := range k.Components {
		path := filepath.Join(b.Dir, c)
		probed = append(probed, path)
		real, err := files.OrDisk(b.Files).Real(path)
		if err == nil && files.Within(b.Root, real) {
			found = append(found, c)
		}
	}
	return found, probed
}
