package kustomize_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// buildBy renders a kustomization in one way.
func buildBy(way config.KustomizeEngine, dir string) (*render.Output, error) {
	opts := render.KustomizeOptions{LoadRestrictor: unrestricted}
	return kustomize.Engine{Way: way}.Render(context.Background(), render.Request{Path: dir, Kustomize: opts})
}

// compare returns why a kustomization that builds was left to the library, "" where it was not.
func compare(t *testing.T, dir string) (builds bool, declined string) {
	t.Helper()
	want, errWant := buildBy(config.KustomizeLibrary, dir)
	got, errGot := buildBy(config.KustomizeNative, dir)
	switch {
	case errWant != nil && errGot == nil:
		t.Errorf("%s: built, and the library says: %v", dir, errWant)
	case errWant == nil && errGot != nil:
		t.Errorf("%s: the library builds it, and: %v", dir, errGot)
	case errWant != nil:
		if errGot.Error() != errWant.Error() {
			t.Errorf("%s: fails with %v, and by the library with %v", dir, errGot, errWant)
		}
	case !bytes.Equal(got.Text, want.Text):
		t.Errorf("%s: differs from the library at %s", dir, firstDifference(got.Text, want.Text))
	}
	if errWant != nil || errGot != nil {
		return false, ""
	}
	known := got.Locator.Origins(got.Text)
	for i, looked := range want.Locator.Origins(want.Text) {
		if looked.File != "" && known[i] != looked && !t.Failed() {
			t.Errorf("%s: object %d is from %+v, and by its name from %+v", dir, i, known[i], looked)
		}
	}
	_, declined, _ = strings.Cut(got.Why, "because of ")
	return true, declined
}

func TestTheNativeWayBuildsWhatTheLibraryDoes(t *testing.T) {
	for _, root := range append(filepath.SplitList(os.Getenv("ROLLSTAMP_TREES")), "../../testdata", "../../examples") {
		built, why := 0, map[string]int{}
		for _, dir := range kustomizationsBelow(t, root) {
			if builds, declined := compare(t, dir); builds {
				built++
				why[declined]++
			}
		}
		t.Logf("%s: %d of %d are built in the native way", root, why[""], built)
		for _, reason := range slices.Sorted(maps.Keys(why)) {
			if reason != "" {
				t.Logf("%4d %s", why[reason], reason)
			}
		}
	}
}
