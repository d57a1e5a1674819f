package objects

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func TestTheChainOfAVaultStaticSecretSaysWhichVaultIsMeant(t *testing.T) {
	t.Parallel()
	const secret = `apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultStaticSecret
metadata: {name: s, namespace: shop}
spec: {REF mount: kv, path: db, type: kv-v2, destination: {name: s}}
---
`
	object := func(kind, name, spec string) string {
		namespace, name, _ := strings.Cut(name, "/")
		return "apiVersion: secrets.hashicorp.com/v1beta1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: " +
			namespace + "}\nspec: {" + spec + "}\n---\n"
	}
	auth := func(name, spec string) string { return object("VaultAuth", name, spec) }
	connection := func(name string) string { return object("VaultConnection", name, "address: http://"+name+".example") }
	for name, c := range map[string]struct{ ref, objects, store, server, namespace string }{
		"nothing is known":               {"", "", "shop/default", "", ""},
		"the connection of the operator": {"", connection("vso/default"), "shop/default", "http://vso/default.example", ""},
		"by name": {"vaultAuthRef: a,", auth("shop/a", "vaultConnectionRef: c") + connection("shop/c") + connection("other/c"),
			"shop/a", "http://shop/c.example", ""},
		"in other namespaces": {"vaultAuthRef: auth/a,", auth("auth/a", "vaultConnectionRef: net/c, namespace: team") + connection("net/c") +
			connection("auth/c"), "auth/a", "http://net/c.example", "team"},
		"a namespace of Vault's own": {"vaultAuthRef: a, namespace: mine,", auth("shop/a", "namespace: team"), "shop/a", "", "mine"},
		"by what is shared": {"vaultAuthRef: a,", auth("shop/a", "vaultAuthGlobalRef: {name: g, namespace: vso}") +
			object("VaultAuthGlobal", "vso/g", "vaultConnectionRef: c") + connection("vso/c") + connection("shop/c"),
			"shop/a", "http://vso/c.example", ""},
		"a connection that is not there": {"vaultAuthRef: a,", auth("shop/a", "vaultConnectionRef: c") + connection("other/c"), "shop/a", "", ""},
	} {
		x := indexed(t, "", strings.Replace(secret, "REF", c.ref, 1)+c.objects)
		var questions []sources.Ref
		for o := range x.All() {
			Resolve(x).AppendQuestions(&questions, o, &Content{})
		}
		if len(questions) != 1 {
			t.Fatalf("%s: asks for %v", name, questions)
		}
		s := questions[0].Store
		if got := s.Namespace + "/" + s.Name; got != c.store || s.Fields["server"] != c.server || s.Fields["namespace"] != c.namespace {
			t.Errorf("%s: got %s, %v", name, got, s.Fields)
		}
	}
}
