package sources

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// producer is a row of the table of kinds that make a Secret or ConfigMap in the cluster. What they make is known by name here;
// its content is not.
type producer struct {
	group    string   // the API group, or its end behind a dot; "" for any
	kind     string   // of what is made
	name     []string // paths of the name, the first that is there counts; "[]" behind a list; none: the producer's own name
	fallback bool     // where no path is there, the producer's own name
	space    string   // the field beside the name that holds the namespace; "" for the producer's own
	anywhere bool     // it makes copies in several namespaces
	kindAt   string   // path of the kind that is made, where it is not kind
}

const (
	secret    = "Secret"
	configMap = "ConfigMap"
)

// producers by kind. Sources: the operators' own API references.
var producers = map[string][]producer{
	"ExternalSecret": {
		{group: "external-secrets.io", kind: secret, name: []string{"spec.target.name"}, fallback: true, kindAt: "spec.target.manifest.kind"},
		{group: "kubernetes-client.io", kind: secret},
	},
	"ClusterExternalSecret": {{group: "external-secrets.io", kind: secret, name: []string{"spec.externalSecretSpec.target.name", "spec.externalSecretName"},
		fallback: true, anywhere: true, kindAt: "spec.externalSecretSpec.target.manifest.kind"}},
	"SealedSecret":        {{group: "bitnami.com", kind: secret}},
	"SecretProviderClass": {{kind: secret, name: []string{"spec.secretObjects[].secretName"}}},
	"Certificate":         {{group: "cert-manager.io", kind: secret, name: []string{"spec.secretName"}}},
	"VaultStaticSecret":   {{group: "secrets.hashicorp.com", kind: secret, name: []string{"spec.destination.name"}}},
	"VaultDynamicSecret":  {{group: "secrets.hashicorp.com", kind: secret, name: []string{"spec.destination.name"}}},
	"VaultPKISecret":      {{group: "secrets.hashicorp.com", kind: secret, name: []string{"spec.destination.name"}}},
	"HCPVaultSecretsApp":  {{group: "secrets.hashicorp.com", kind: secret, name: []string{"spec.destination.name"}}},
	"VaultSecret":         {{kind: secret}},
	"OnePasswordItem":     {{kind: secret}},
	"KafkaUser":           {{kind: secret}},
	"ObjectBucketClaim":   {{kind: secret}, {kind: configMap}},
	"DopplerSecret":       {{kind: secret, name: []string{"spec.managedSecret.name"}, space: "namespace"}},
	"InfisicalSecret": {
		{kind: secret, name: []string{"spec.managedSecretReference.secretName"}, space: "secretNamespace"},
		{kind: secret, name: []string{"spec.managedKubeSecretReferences[].secretName"}, space: "secretNamespace"},
	},
	"BitwardenSecret": {{kind: secret, name: []string{"spec.secretName"}}},
	"SopsSecret":      {{kind: secret, name: []string{"spec.secretTemplates[].name"}}},
	"Bundle": {
		{group: "trust.cert-manager.io", kind: configMap, anywhere: true, kindAt: "spec.target.configMap"},
		{group: "trust.cert-manager.io", kind: secret, anywhere: true, kindAt: "spec.target.secret"},
	},
}

// makes tells whether the object is the row's.
func (p producer) makes(o manifest.Object) bool {
	g := o.Group()
	return p.group == "" || g == p.group || strings.HasSuffix(g, "."+p.group)
}

// names calls visit with each object that o makes.
func (p producer) names(o manifest.Object, visit func(kind, name, namespace string)) {
	kind := p.kind
	if p.kindAt != "" {
		at := o.Node.At(fields(p.kindAt)...)
		switch {
		case at.IsMap(): // a Bundle's target
		case at.Given() != "":
			kind = at.Given()
		case p.name == nil:
			return
		}
	}
	found := false
	for _, path := range p.name {
		if found {
			break
		}
		steps := fields(path)
		last := len(steps) - 1
		follow(o.Node, steps[:last], func(n manifest.Node) {
			if name := n.Get(steps[last]).Given(); name != "" {
				found = true
				visit(kind, name, n.Get(p.space).Given())
			}
		})
	}
	if !found && (p.name == nil || p.fallback) {
		visit(kind, o.Name, "")
	}
}

// follow calls visit with every place that the path leads to.
func follow(n manifest.Node, path []string, visit func(manifest.Node)) {
	if !n.Valid() {
		return
	}
	if len(path) == 0 {
		visit(n)
		return
	}
	name, list := strings.CutSuffix(path[0], "[]")
	n = n.Get(name)
	if !list {
		follow(n, path[1:], visit)
		return
	}
	for it := range n.Items() {
		follow(it, path[1:], visit)
	}
}
