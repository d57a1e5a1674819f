package objects

// The retired operator of kubernetes-external-secrets.
var kubernetesExternalSecrets = operator{rows: map[string][]row{
	"ExternalSecret": {{group: "kubernetes-client.io", kind: secret, parts: wholeSpec(shape{}), versionless: Fetched}},
}}
