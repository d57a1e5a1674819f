package objects

import "github.com/rollstamp/rollstamp/manifest"

// infisical knows the operator of Infisical.
func infisical() operator {
	return operator{rows: map[string][]row{
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
		"InfisicalStaticSecret": {
			infisicalStatic(secret),
			infisicalStatic(configMap),
		},
	}}
}

const infisicalMaps = "managedKubeConfigMapReferences[*]."

// infisicalShape leaves out what names the Secret, and more.
func infisicalShape(more ...string) shape {
	omit := append(more, "resyncInterval")
	for _, at := range []string{"managedSecretReference.", "managedKubeSecretReferences[*]."} {
		omit = append(omit, at+"secretName", at+"secretNamespace", at+"secretType", at+"creationPolicy")
	}
	return shape{omit: omit}
}

// infisicalStatic returns the row for the targets of a kind: Infisical/kubernetes-operator,
// api/v1beta1/infisicalstaticsecret_types.go (SecretTarget).
func infisicalStatic(kind string) row {
	omit := []string{"syncOptions"}
	for _, field := range []string{"name", "namespace", "kind", "secretType", "creationPolicy", "metadata"} {
		omit = append(omit, "targets[*]."+field)
	}
	return row{
		group: "secrets.infisical.com", kind: kind, parts: wholeSpec(shape{omit: omit}), versionless: Fetched,
		namesOf: func(o manifest.Object, visit func(kind, name, namespace string)) {
			for target := range o.Node.At("spec", "targets").Items() {
				if name := target.Get("name").StringValue(); name != "" && target.Get("kind").StringValue() == kind {
					visit(kind, name, target.Get("namespace").StringValue())
				}
			}
		},
	}
}
