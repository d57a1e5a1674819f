package kustomize_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
)

// Each build's text is held against that of the real kustomize, a process of its own; so a schema that leaks from one
// build into another shows, and the race detector sees a cold start.
func TestBuildsSideBySideDoNotDisturbOneAnother(t *testing.T) {
	t.Parallel()
	paths := []string{"layered/overlays/prod", "schema", "components/full", "crds", "schema-in-base", "generators/overlay", "charts/plain", "plugins"}
	want := make(map[string][]byte)
	for _, p := range paths {
		text, err := build(t, fixtures+"/"+p, "--enable-helm", "--helm-command", stock.Helm(t))
		if err != nil {
			t.Fatal(err)
		}
		want[p] = text
	}
	var wg sync.WaitGroup
	for range 4 {
		for _, p := range paths {
			wg.Go(func() {
				out, err := withCharts.Render(context.Background(), render.Request{Path: fixtures + "/" + p})
				if err != nil {
					t.Errorf("%s: %v", p, err)
				} else if !bytes.Equal(out.Text, want[p]) {
					t.Errorf("%s differs at %s", p, firstDifference(out.Text, want[p]))
				}
			})
		}
	}
	wg.Wait()
}
