package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// anyKind stands in the table for kinds that have no rows of their own.
const anyKind = "*"

// crossplane knows Crossplane, whose claims, composites and managed resources are of any kind and say alike where their
// connection details go: crossplane/crossplane-runtime, pkg/xcrd/schemas.go and pkg/resource/unstructured.
func crossplane() operator {
	return operator{rows: map[string][]row{
		anyKind: {{
			has: isCustom, kind: secret, content: inCluster, versionless: Made, yields: true, space: "namespace",
			name: names("spec.writeConnectionSecretToRef.name", "spec.crossplane.writeConnectionSecretToRef.name"),
		}},
	}}
}

// isCustom reports whether an object is of none of Kubernetes' own groups and has connection details.
func isCustom(o manifest.Object) bool {
	group := o.Group()
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		return false
	}
	spec := o.Node.Get("spec")
	return spec.Get("writeConnectionSecretToRef").IsMap() ||
		spec.Get("crossplane").Get("writeConnectionSecretToRef").IsMap()
}
