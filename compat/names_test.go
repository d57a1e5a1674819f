package compat_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// readConfigMaps returns an index of ConfigMaps, each with a namespace and a name.
func readConfigMaps(t *testing.T, all ...[2]string) *objects.Index {
	t.Helper()
	index := objects.NewIndex(objects.Options{})
	for _, o := range all {
		d, err := manifest.NewReader(fmt.Appendf(nil,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %q, namespace: %q}\ndata: {a: b}\n", o[1], o[0])).Next()
		if err != nil {
			t.Fatal(err)
		}
		for o := range d.Objects() {
			index.Add(o, d.Clone)
		}
	}
	return index
}

// expressionOf returns what Reloader's rule has for one item of a list of ConfigMaps.
func expressionOf(t *testing.T, item string) *compat.Expression {
	t.Helper()
	s := config.New()
	s.Compat.Reloader.Value = config.ReloaderHonour
	d, err := manifest.NewReader(fmt.Appendf(nil, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: w\n  annotations:\n"+
		"    configmap.reloader.stakater.com/reload: %q\nspec: {template: {}}\n", item)).Next()
	if err != nil {
		t.Fatal(err)
	}
	for o := range d.Objects() {
		rules := compat.New(s).Read(&compat.Workload{Object: o, Template: o.Node.At("spec", "template")})
		return rules[0].Named[0].Match
	}
	return nil
}

func TestAnExpressionFindsWhatItFitsAmongAllNames(t *testing.T) {
	all := [][2]string{{"shop", "app-1"}, {"shop", "app-10"}, {"other", "app-1"}, {"", "app-2"}, {"shop", "my-app-1-x"},
		{"shop", "settings"}, {"shop", "APP-1"}, {"shop", "app-1-config"}, {"", "zz"}, {"shop", "1"}, {"shop", "app-1"}}
	index := readConfigMaps(t, all...)
	for _, item := range []string{"app-1.*", "app-.*", ".*", ".*-config", "app-1|settings", "(app|my)-.*", "app-[12]", "(?i)app-1",
		"a?pp-1", "app-1$|zz", "^app-1", "[a-z]+", "x*", "(app-1|app-2)+", "app-1.*x?", ".*(1|2)", "no-such-.*", "(?:)|app-1",
		"app\\x00.*", "my-(app)-1-x+"} {
		e := expressionOf(t, item)
		names := compat.NewNames(index)
		for _, namespace := range []string{"shop", "other", "", "empty", "shop"} {
			var want []string
			for o := range index.All() {
				if (namespace == "" || o.Namespace == "" || o.Namespace == namespace) && e.Fits(o.Name) {
					want = append(want, o.String())
				}
			}
			var got []string
			for _, o := range names.Find("ConfigMap", namespace, e) {
				got = append(got, o.String())
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q in %q: found %q, want %q", item, namespace, got, want)
			}
		}
		if found := names.Find("Secret", "shop", e); len(found) > 0 {
			t.Errorf("%q finds Secrets: %v", item, found)
		}
	}
}
