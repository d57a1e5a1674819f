package objects

// The secret generator of Mittwald: mittwald/kubernetes-secret-generator, pkg/controller/crd. What it adds to Secrets
// that ask for it by annotations is in filled.go, and what its replicator copies in copies.go.
var mittwald = operator{rows: map[string][]row{
	"StringSecret": {mittwaldGenerated},
	"SSHKeyPair":   {mittwaldGenerated},
	"BasicAuth":    {mittwaldGenerated},
}}

// mittwaldGenerated has the object's own name. What it has generated once it keeps, so nothing of the spec counts.
var mittwaldGenerated = row{
	group: "secretgenerator.mittwald.de", kind: secret, content: inCluster, versionless: Made, yields: true,
}
