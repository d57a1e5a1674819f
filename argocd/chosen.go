package argocd

// Chosen returns the fields with options of one kind that say something: Argo CD's controller takes others out, so that
// they choose no kind.
func (s Source) Chosen() (fields []string) {
	if s.Helm != nil && !saysNothingHelm(s.Helm) {
		fields = append(fields, "helm")
	}
	if s.Kustomize != nil && !saysNothingKustomize(s.Kustomize) {
		fields = append(fields, "kustomize")
	}
	if s.Directory != nil && !saysNothingDirectory(s.Directory) {
		fields = append(fields, "directory")
	}
	return fields
}

// The following is what Argo CD v3.6 takes for zero, which has more fields than that of v3.2 (disableExtensionFilter)
// and is not all that these options have.

func saysNothingHelm(o *Helm) bool {
	return o.Version == "" && o.ReleaseName == "" && len(o.ValueFiles) == 0 && len(o.Parameters) == 0 &&
		len(o.FileParameters) == 0 && o.Values == "" && len(o.ValuesObject) == 0 && !o.PassCredentials &&
		!o.IgnoreMissingValueFiles && !o.SkipCrds && !o.SkipTests && !o.SkipSchemaValidation && o.KubeVersion == "" &&
		len(o.APIVersions) == 0 && o.Namespace == ""
}

func saysNothingKustomize(o *Kustomize) bool {
	return o.NamePrefix == "" && o.NameSuffix == "" && o.Version == "" && o.Namespace == "" && len(o.Images) == 0 &&
		len(o.Replicas) == 0 && len(o.CommonLabels) == 0 && len(o.CommonAnnotations) == 0 && len(o.Patches) == 0 &&
		len(o.Components) == 0 && o.KubeVersion == "" && len(o.APIVersions) == 0 && !o.IgnoreMissingComponents
}

func saysNothingDirectory(o *Directory) bool {
	return !o.Recurse && len(o.Jsonnet.ExtVars) == 0 && len(o.Jsonnet.TLAs) == 0 && len(o.Jsonnet.Libs) == 0 &&
		o.Exclude == "" && o.Include == "" && !o.DisableExtensionFilter
}
