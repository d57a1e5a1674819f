package compat_test

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/compat"
)

func TestOnlyArgumentsThatChangeWhatIsRestartedAreTakenOver(t *testing.T) {
	got := compat.EffectiveReloaderArgs([]string{"/manager", "--log-format=json", "--auto-annotation", "ops.example.com/auto",
		`--namespace-selector="team=a"`, "--enable-pprof", "--auto-reload-all", "--reload-strategy=annotations"})
	want := []string{"--auto-annotation=ops.example.com/auto", "--namespace-selector=team=a", "--auto-reload-all"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	keys := compat.ReloaderAnnotations(got)
	if !slices.Contains(keys, "ops.example.com/auto") || slices.Contains(keys, "reloader.stakater.com/auto") ||
		!slices.Contains(keys, "reloader.stakater.com/search") {
		t.Errorf("annotations are %q", keys)
	}
}
