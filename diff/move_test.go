package diff

import "testing"

func TestAMoveTakesNoObjectThatLiesInNoNamespace(t *testing.T) {
	t.Parallel()
	move := &Move{FromNamespace: "one", ToNamespace: "two"}
	for kind, takes := range map[Name]bool{
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:      false,
		{Group: "rbac.authorization.k8s.io", Kind: "Role"}:             true,
		{Group: "external-secrets.io", Kind: "ClusterSecretStore"}:     false,
		{Group: "external-secrets.io", Kind: "SecretStore"}:            true,
		{Group: "cert-manager.io", Kind: "ClusterIssuer"}:              false,
		{Group: "cert-manager.io", Kind: "Certificate"}:                true,
		{Group: "templates.gatekeeper.sh", Kind: "ConstraintTemplate"}: false,
		// Names alone say nothing: these lie in namespaces.
		{Group: "postgresql.cnpg.io", Kind: "Cluster"}:    true,
		{Group: "cluster.x-k8s.io", Kind: "ClusterClass"}: true,
	} {
		if got := move.takes(&object{Name: kind}); got != takes {
			t.Errorf("%s of %s: taken along: %v, want %v", kind.Kind, kind.Group, got, takes)
		}
	}
}
