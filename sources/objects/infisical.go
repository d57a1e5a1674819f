package objects

// The operator of Infisical.
var infisical = operator{rows: map[string][]row{
	"InfisicalSecret": {
		{
			kind: secret, name: names("spec.managedSecretReference.secretName"), space: "secretNamespace",
			parts: wholeSpec(infisicalShape()), versionless: Fetched,
		},
		{
			kind: secret, name: names("spec.managedKubeSecretReferences[*].secretName"), space: "secretNamespace",
			parts: wholeSpec(infisicalShape()), versionless: Fetched,
		},
		{
			kind: configMap, name: names("spec.managedKubeConfigMapReferences[*].configMapName"),
			space: "configMapNamespace",
			parts: wholeSpec(infisicalShape(
				infisicalMaps+"configMapName", infisicalMaps+"configMapNamespace", infisicalMaps+"creationPolicy")),
			versionless: Fetched,
		},
	},
	"InfisicalDynamicSecret": {{
		group: "secrets.infisical.com", kind: secret, name: names("spec.managedSecretReference.secretName"),
		space: "secretNamespace",
		parts: wholeSpec(infisicalShape("leaseRevocationPolicy", "leaseTTL")), versionless: Made,
	}},
}}

const infisicalMaps = "managedKubeConfigMapReferences[*]."

// infisicalShape leaves out what names the Secret, and more.
func infisicalShape(more ...string) shape {
	omit := append(more, "resyncInterval")
	for _, at := range []string{"managedSecretReference.", "managedKubeSecretReferences[*]."} {
		omit = append(omit, at+"secretName", at+"secretNamespace", at+"secretType", at+"creationPolicy")
	}
	return shape{omit: omit}
}
