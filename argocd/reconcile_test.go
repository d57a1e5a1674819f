package argocd_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
)

func TestACallCombinesSettingsOfTheApplicationAndTheOperator(t *testing.T) {
	set := func(value string, source config.Source) config.Setting[config.NonEmpty] {
		return config.Setting[config.NonEmpty]{Value: config.NonEmpty(value), Source: source}
	}
	const file config.Source = "/repo/.rollstamp.yaml:1"
	for what, c := range map[string]struct {
		namespace, domain         config.Setting[config.NonEmpty]
		wantNamespace, wantDomain string
	}{
		"nobody says anything": {set("", config.Default), set("", config.Default), "shop", "argocd:team"},
		"the file says it":     {set("own", file), set("own", file), "shop", "argocd:team/own"},
		"the file imitates a project": {set("", config.Default), set("argocd:other", file), "shop",
			"argocd:team/argocd:other"},
		"a flag says it": {set("own", "flag --namespace"), set("own", "flag --hash-domain"), "own", "own"},
		"the environment says it": {set("own", "env ROLLSTAMP_NAMESPACE"), set("own", "env ROLLSTAMP_HASH_DOMAIN"),
			"own", "own"},
	} {
		s := &config.Settings{InForce: &config.InForce{Namespace: c.namespace, HashDomain: c.domain}}
		call := &argocd.Call{Build: argocd.Build{Namespace: "shop", Project: "team", KubeVersion: "1.30"}}
		s = call.Reconcile(s)
		if string(s.Namespace.Value) != c.wantNamespace || string(s.HashDomain.Value) != c.wantDomain {
			t.Errorf("%s: namespace %q, hash domain %q", what, s.Namespace.Value, s.HashDomain.Value)
		}
		if call.KubeVersion != "1.30" || call.APIVersions != nil {
			t.Errorf("%s: the destination's version has become %q, %q", what, call.KubeVersion, call.APIVersions)
		}
	}
	s := &config.Settings{InForce: &config.InForce{Namespace: set("", config.Default), HashDomain: set("own", file)}}
	s.KubeVersion.Value, s.APIVersions.Value = "1.31", []config.NonEmpty{"a/v1"}
	call := &argocd.Call{Build: argocd.Build{KubeVersion: "1.30"}}
	s = call.Reconcile(s)
	if s.Namespace.Value != "" || s.HashDomain.Value != "own" || call.KubeVersion != "1.31" ||
		len(call.APIVersions) != 1 {
		t.Errorf("without a destination and a project: %q, %q, %q, %q", s.Namespace.Value, s.HashDomain.Value,
			call.KubeVersion, call.APIVersions)
	}
}
