package argocd_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/versionstest"
	"github.com/rollstamp/rollstamp/config"
)

func TestTheHelmOfAnArgoCD(t *testing.T) {
	for version, want := range map[string]config.HelmVersion{
		"v3.5.0": config.Helm4, "3.6": config.Helm4, "v4.0.1": config.Helm4, "v3.4.9": config.Helm3, "2.14.3": config.Helm3,
		"": 0, "v3": 0, "latest": 0, "v3.x": 0, "1.8": 0,
	} {
		v, err := argocd.ParseVersion(version, "argocd-version")
		if v.Helm() != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", version, v.Helm(), err)
		}
	}
}

func TestTheDoubtOfAVersionIsWhetherItsSourceIsKnown(t *testing.T) {
	for version := range versionstest.ByVersion() {
		if v, err := argocd.ParseVersion(version, "argocd-version"); err != nil || v.Doubt() != "" {
			t.Errorf("%s: %s, %v", version, v.Doubt(), err)
		}
	}
	for version, want := range map[string]string{
		"v4.0.0": "is newer than .*Helm 4$", "v3.7.0": "is newer than .*Helm 4$", "2.8.0": "is older than .*Helm 3$",
	} {
		v, err := argocd.ParseVersion(version, "argocd-version")
		if err != nil || !regexp.MustCompile(want).MatchString(v.Doubt()) {
			t.Errorf("%s: %s, %v", version, v.Doubt(), err)
		}
	}
	if doubt := (argocd.Version{}).Doubt(); doubt != "" {
		t.Errorf("no version: %s", doubt)
	}
}

func TestADrySourceTakesAPluginWhereTheSourcesOfArgoCDHaveTheField(t *testing.T) {
	const field = "field Application sourceHydrator.drySource.plugin.name"
	for version, facts := range versionstest.ByVersion() {
		v, err := argocd.ParseVersion(version, "argocd-version")
		if has := slices.Contains(facts, field); err != nil || v.DrySourceTakesPlugins() != has {
			t.Errorf("%s has the field: %v; we say %v, %v", version, has, v.DrySourceTakesPlugins(), err)
		}
	}
}

func TestTheNewerFieldsOfASourceAreThoseOfArgoCDsSources(t *testing.T) {
	const prefix = "field Application source."
	found := 0
	for _, fact := range versionstest.Newer() {
		field, isOfSource := strings.CutPrefix(fact.Text, prefix)
		if !isOfSource {
			continue
		}
		found++
		if !slices.ContainsFunc(argocd.NewerFields(), func(s argocd.Since) bool { return s.Field == field }) {
			t.Errorf("%s is newer, and not listed", field)
		}
	}
	if found != len(argocd.NewerFields()) {
		t.Errorf("%d fields are newer", found)
	}
	for version, facts := range versionstest.ByVersion() {
		v, err := argocd.ParseVersion(version, "argocd-version")
		for _, s := range argocd.NewerFields() {
			if has := slices.Contains(facts, prefix+s.Field); err != nil || v.Reads(s) != has {
				t.Errorf("%s has %s: %v; we say %v, %v", version, s.Field, has, v.Reads(s), err)
			}
		}
	}
}
