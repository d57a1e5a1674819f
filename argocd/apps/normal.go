package apps

import (
	"maps"

	"github.com/rollstamp/rollstamp/argocd"
)

// normal returns the source as it is written, without options of a kind that say nothing: Argo CD's controller takes
// these out, so that they choose no kind.
func (s *Source) normal() map[string]any {
	out := maps.Clone(s.raw)
	if s.Helm == nil || saysNothingHelm(s.Helm) {
		delete(out, "helm")
	}
	if s.Kustomize == nil || saysNothingKustomize(s.Kustomize) {
		delete(out, "kustomize")
	}
	if s.Directory == nil || saysNothingDirectory(s.Directory) {
		delete(out, "directory")
	}
	return out
}

// The following is what Argo CD v3.6 takes for zero, which has more fields than that of v3.2 (disableExtensionFilter)
// and is not all that these options have.

func saysNothingHelm(o *argocd.Helm) bool {
	return o.Version == "" && o.ReleaseName == "" && len(o.ValueFiles) == 0 && len(o.Parameters) == 0 &&
		len(o.FileParameters) == 0 && o.Values == "" && len(o.ValuesObject) == 0 && !o.PassCredentials &&
		!o.IgnoreMissingValueFiles && !o.SkipCrds && !o.SkipTests && !o.SkipSchemaValidation && o.KubeVersion == "" &&
		len(o.APIVersions) == 0 && o.Namespace == ""
}

func saysNothingKustomize(o *argocd.Kustomize) bool {
	return o.NamePrefix == "" && o.NameSuffix == "" && o.Version == "" && o.Namespace == "" && len(o.Images) == 0 &&
		len(o.Replicas) == 0 && len(o.CommonLabels) == 0 && len(o.CommonAnnotations) == 0 && len(o.Patches) == 0 &&
		len(o.Components) == 0 && o.KubeVersion == "" && len(o.APIVersions) == 0 && !o.IgnoreMissingComponents
}

func saysNothingDirectory(o *argocd.Directory) bool {
	return !o.Recurse && len(o.Jsonnet.ExtVars) == 0 && len(o.Jsonnet.TLAs) == 0 && len(o.Jsonnet.Libs) == 0 &&
		o.Exclude == "" && o.Include == "" && !o.DisableExtensionFilter
}
