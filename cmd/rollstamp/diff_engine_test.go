package main

import (
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
)

// A version that the operator says for all is no application's own.
func TestWhichApplicationsNameAVersionOfHelm(t *testing.T) {
	pinned := render.Request{Helm: render.HelmOptions{Version: config.Helm3}}
	said := func(from config.Source) *config.Settings { return config.New().WithHelm(config.Helm3, from) }
	for name, row := range map[string]struct {
		spec app.Spec
		want bool
	}{
		"none":                 {app.Spec{Request: &render.Request{}, Settings: said(config.Default)}, false},
		"an option":            {app.Spec{Request: &pinned, Settings: said(config.Default), Kind: render.KindHelm}, true},
		"a file":               {app.Spec{Request: &render.Request{}, Settings: said(".rollstamp.yaml")}, true},
		"the operator":         {app.Spec{Request: &render.Request{}, Settings: said("env " + config.EnvHelmVersion)}, false},
		"a file, and no chart": {app.Spec{Request: &render.Request{}, Settings: said(".rollstamp.yaml"), Kind: render.KindPlain}, false},
	} {
		if got := namesHelm(app.New(row.spec)); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
