package objects

import "testing"

// A ClusterExternalSecret makes nothing in a namespace that is known and that it does not choose.
func TestAClusterExternalSecretMakesSomethingWhereItChooses(t *testing.T) {
	t.Parallel()
	const namespaces = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {team: a, tier: web}}\n---\n" +
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n---\n"
	for _, c := range []struct {
		spec string
		a, b bool
	}{
		{"{}", true, true},
		{"{namespaceSelectors: [{matchLabels: {team: a}}]}", true, false},
		{"{namespaceSelectors: [{matchLabels: {team: a, tier: db}}]}", false, false},
		{"{namespaceSelectors: [{matchLabels: {team: b}}, {matchLabels: {tier: web}}]}", true, false},
		{"{namespaceSelectors: [{}]}", true, true},
		{"{namespaceSelector: {matchLabels: {team: a}}}", true, false},
		{"{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: b}}}", false, true},
		{"{namespaces: [b]}", false, true},
		{"{namespaces: [b], namespaceSelectors: [{matchLabels: {team: a}}]}", true, true},
		{"{namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [a, c]}]}}", true, false},
		{"{namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [a]}]}}", false, true},
		{"{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}", true, false},
		{"{namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}}", false, true},
		{"{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}, {key: tier, operator: In, values: [db]}]}}", false, false},
	} {
		t.Run(c.spec, func(t *testing.T) {
			made := "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: s}\nspec: " + c.spec + "\n"
			for where, x := range map[string]*Index{"the input": indexed(t, "", namespaces+made), "the context": indexed(t, "", made)} {
				if where == "the context" {
					indexOf(t, x.NewContext(), namespaces)
				}
				for namespace, want := range map[string]bool{"a": c.a, "b": c.b, "unknown": true} {
					if _, source := x.Find("Secret", namespace, "s"); (source != Absent) != want {
						t.Errorf("with the Namespaces in %s, Secret %s/s is from %s", where, namespace, source)
					}
				}
			}
		})
	}
}
