package compat

import (
	"strings"

	"github.com/rollstamp/rollstamp/sources/objects"
)

// Target is a workload that an object of the render restarts, with what it restarts it for.
type Target struct {
	Kind, Namespace, Name string // of the workload; its Namespace is "" where it is not known
	Named                 Named
}

// vsoKinds are the kinds of objects of the Vault Secrets Operator that have rolloutRestartTargets.
var vsoKinds = map[string]bool{"VaultStaticSecret": true, "VaultDynamicSecret": true, "VaultPKISecret": true,
	"HCPVaultSecretsApp": true}

// Targets returns the workloads that objects of an index name, in its order: rolloutRestartTargets of the Vault Secrets
// Operator. They lie in the namespace of the object that names them.
func (t *Tools) Targets(index *objects.Index) (out []Target) {
	if t == nil || !t.targets {
		return nil
	}
	for o := range index.All() {
		for _, p := range o.Producers() {
			if !vsoKinds[p.Kind] {
				continue
			}
			for n := range p.Node().At("spec", "rolloutRestartTargets").Items() {
				kind := strings.TrimPrefix(strings.Clone(n.Get("kind").StringValue()), "argo.")
				out = append(out, Target{Kind: kind, Namespace: p.Namespace, Name: strings.Clone(n.Get("name").StringValue()),
					Named: Named{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Offset: n.Offset()}})
			}
		}
	}
	return out
}
