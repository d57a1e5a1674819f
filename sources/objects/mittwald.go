package objects

import "github.com/rollstamp/rollstamp/redact"

// mittwald knows the secret generator of Mittwald: mittwald/kubernetes-secret-generator, pkg/controller/crd. What it
// adds to Secrets that ask for it by annotations is in filled.go, and what its replicator copies in copies.go.
func mittwald() operator {
	return operator{rows: map[string][]row{
		"StringSecret": {mittwaldGenerated},
		"SSHKeyPair":   {mittwaldGenerated},
		"BasicAuth":    {mittwaldGenerated},
	}, secrets: []secretPlaces{{
		groups: mittwaldGroup, places: []redact.Place{{At: fields("spec"), Fields: []string{"data", "privateKey"}}},
	}}}
}

const mittwaldGroup = "secretgenerator.mittwald.de"

// mittwaldGenerated has the object's own name. What it has generated once it keeps, so nothing of the spec counts.
var mittwaldGenerated = row{
	group: mittwaldGroup, kind: secret, content: inCluster, versionless: Made, yields: true,
}
