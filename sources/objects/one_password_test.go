package objects

import (
	"strings"
	"testing"
)

// deployment is one in namespace a with annotations, its own and those of its pod template.
func deployment(kind, name, own, template string) string {
	return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name +
		", namespace: a, labels: {l: v}, annotations: {" + own + "}}\n" +
		"spec: {template: {metadata: {annotations: {" + template + "}}, spec: {containers: []}}}\n"
}

func itemAnnotations(path, name string) string {
	return "operator.1password.io/item-path: '" + path + "', operator.1password.io/item-name: '" + name + "'"
}

func TestADeploymentHasASecretMadeOfAnItem(t *testing.T) {
	t.Parallel()
	item, other := itemAnnotations("vaults/a/items/b", "made"), itemAnnotations("vaults/a/items/c", "other")
	for name, c := range map[string]struct{ text, made string }{
		"by its own annotations":   {deployment("Deployment", "web", item, ""), "made"},
		"by those of its pods":     {deployment("Deployment", "web", "a: b", item), "made"},
		"its own count first":      {deployment("Deployment", "web", item, other), "made"},
		"one of its own is enough": {deployment("Deployment", "web", "operator.1password.io/item-name: x", item), ""},
		"what says when pods restart names no item": {
			deployment("Deployment", "web", "operator.1password.io/auto-restart: 'true'", item), "made"},
		"a name that is not valid": {
			deployment("Deployment", "web", itemAnnotations("vaults/a/items/b", "My Login."), ""), "my-login"},
		"no name":      {deployment("Deployment", "web", "operator.1password.io/item-path: vaults/a/items/b", ""), ""},
		"no path":      {deployment("Deployment", "web", "operator.1password.io/item-name: made", ""), ""},
		"another kind": {deployment("StatefulSet", "web", item, ""), ""},
	} {
		x := indexed(t, "", c.text)
		for _, candidate := range []string{"made", "other", "x", "my-login", "web"} {
			want := Absent
			if candidate == c.made {
				want = "Deployment/web"
			}
			if _, source := x.Find(secret, "a", candidate); source != want {
				t.Errorf("%s: %s is from %s, want %s", name, candidate, source, want)
			}
		}
		if _, source := x.Find(secret, "b", c.made); source != Absent {
			t.Errorf("%s: another namespace has it from %s", name, source)
		}
	}
}

// The operator puts none of the Deployment's labels and annotations on the Secret that says something to other tools.
func TestASecretOfADeploymentHasNoneOfItsLabels(t *testing.T) {
	t.Parallel()
	own := "rollstamp.dev/ignore: 'true', " + itemAnnotations("vaults/a/items/b", "made")
	x := indexed(t, "", deployment("Deployment", "web", own, ""))
	o, _ := x.Find(secret, "a", "made")
	if o == nil || len(o.Labels()) > 0 || o.Annotation("rollstamp.dev/ignore") != "" || show(read(x, o)) != "*~spec" {
		t.Errorf("got %v with labels %v", o, o.Labels())
	}
}

// Several Deployments may name one item for the same Secret, and that one counts once.
func TestASecretOfSeveralDeploymentsCountsOnce(t *testing.T) {
	t.Parallel()
	web := deployment("Deployment", "web", itemAnnotations("vaults/a/items/b", "made"), "")
	content := func(text string) (string, []string) {
		x := indexed(t, "", text)
		o, _ := x.Find(secret, "a", "made")
		var clashes []string
		for c := range x.Clashes() {
			clashes = append(clashes, c.String())
		}
		return string(read(x, o).Pairs[0].Value.Reveal()), clashes
	}
	alone, _ := content(web)
	same, clashes := content(web + strings.Replace(web, "web", "job", 1))
	if same != alone || len(clashes) > 0 {
		t.Errorf("another Deployment with the same item changes the content, or is reported: %q", clashes)
	}
	differs, clashes := content(web + deployment("Deployment", "job", itemAnnotations("vaults/a/items/c", "made"), ""))
	if differs == alone || len(clashes) != 1 || clashes[0] != "Deployment a/web makes Secret a/made, too, and both count" {
		t.Errorf("another item for the same Secret is reported as %q", clashes)
	}
	item := "---\napiVersion: onepassword.com/v1\nkind: OnePasswordItem\n" +
		"metadata: {name: made, namespace: a}\nspec: {itemPath: x}\n"
	byItem, _ := content(item)
	if both, clashes := content(web + item); both != byItem || len(clashes) > 0 {
		t.Errorf("an item of that name does not count alone: %q", clashes)
	}
}
