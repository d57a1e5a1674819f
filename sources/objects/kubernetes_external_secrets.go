package objects

// kubernetesExternalSecrets knows the retired operator of kubernetes-external-secrets.
func kubernetesExternalSecrets() operator {
	return operator{rows: map[string][]row{
		"ExternalSecret": {{group: "kubernetes-client.io", kind: secret, parts: wholeSpec(shape{}), versionless: Fetched}},
	}}
}
