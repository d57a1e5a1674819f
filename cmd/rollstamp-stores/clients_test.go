package main

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func TestEveryProviderHasAClient(t *testing.T) {
	var known []string
	for _, p := range sources.Providers() {
		known = append(known, p.Name)
		if clients[p.Name] == nil {
			t.Errorf("nothing asks %s", p.Name)
		}
	}
	for name := range clients {
		if !slices.Contains(known, name) {
			t.Errorf("no provider.json has %s", name)
		}
	}
}
