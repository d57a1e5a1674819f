package objects

// The retired operator of kubernetes-external-secrets.
var kubernetesExternalSecrets = operator{
	"ExternalSecret": {{group: "kubernetes-client.io", kind: secret, parts: wholeSpec(shape{}), versionless: Fetched}},
}
