package apps_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/argocd/apps"
)

func TestTheLastOfAnObjectInSeveralSourcesStays(t *testing.T) {
	object := func(name, value string) string {
		return "---\n# " + value + "\napiVersion: v1\nkind: ConfigMap\nmetadata: {" + name + "}\ndata: {v: " + value + "}\n"
	}
	texts := [][]byte{
		[]byte(object("name: a", "1") + object("name: b", "1") + object("name: c, namespace: shop", "1")),
		[]byte(object("name: b, namespace: shop", "2") + object("name: d", "2")),
		[]byte(object("name: c", "3") + object("name: a, namespace: other", "3")),
	}
	got, found, err := apps.LastOnly(texts, "shop")
	if err != nil || len(found[0]) != 2 || len(found[1])+len(found[2]) != 0 {
		t.Fatal(found, err)
	}
	for i, want := range []string{object("name: a", "1"), string(texts[1]), string(texts[2])} {
		if string(got[i]) != want {
			t.Errorf("source %d:\n%s\nwant\n%s", i+1, got[i], want)
		}
	}
	if found[0][0].Object != "ConfigMap b" || found[0][1].Object != "ConfigMap shop/c" {
		t.Errorf("found %v", found)
	}
}
