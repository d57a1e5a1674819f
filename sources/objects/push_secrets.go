package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// pushSecrets knows PushSecrets, which become Secrets where the store is a cluster:
// external-secrets/external-secrets, apis/externalsecrets/v1alpha1/pushsecret_types.go and
// providers/v1/kubernetes/client.go (PushSecret).
func pushSecrets() operator {
	return operator{rows: map[string][]row{
		"PushSecret":        {pushRow("spec")},
		"ClusterPushSecret": {pushRow("spec", "pushSecretSpec")},
	}}
}

// pushRow returns the row for what the spec at a path pushes.
func pushRow(path ...string) row {
	return row{
		group: externalGroup, kind: secret, anywhere: true, yields: true, versionless: Made,
		namesOf: func(o manifest.Object, visit func(kind, name, namespace string)) {
			for entry := range o.Node.At(path...).Get("data").Items() {
				name := entry.At("match", "remoteRef", "remoteKey").StringValue()
				if name != "" && !strings.ContainsAny(name, "/_: ") { // a store of another kind
					visit(secret, name, "")
				}
			}
		},
		reaches: func(p *Producer, namespace string, lookup lookupFunc) bool {
			for ref := range p.node.At(path...).Get("secretStoreRefs").Items() {
				kind := ref.Get("kind").StringValue()
				if kind == "" {
					kind = "SecretStore"
				}
				store := lookup(kind, p.Namespace, ref.Get("name").StringValue()).At("spec", "provider", "kubernetes")
				in := store.Get("remoteNamespace").StringValue()
				if store.IsMap() && (namespace == "" || namespace == in || in == "" && namespace == "default") {
					return true
				}
			}
			return false
		},
		parts: parts{field: "spec", at: path,
			shape: shape{omit: []string{"refreshInterval", "deletionPolicy", "updatePolicy"}}},
	}
}
