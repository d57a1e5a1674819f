package kustomize_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// TestFilesThatAreLookedUpAreThoseOfABuildWithOrigins takes every kustomization of testdata, and those below the
// folders that ROLLSTAMP_TREES lists.
func TestFilesThatAreLookedUpAreThoseOfABuildWithOrigins(t *testing.T) {
	t.Parallel()
	built, complete, objects, known := 0, 0, 0, 0
	for _, top := range append([]string{fixtures}, filepath.SplitList(os.Getenv("ROLLSTAMP_TREES"))...) {
		for _, dir := range kustomizationsBelow(t, top) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			request := render.Request{Path: dir, Once: true, Kustomize: render.KustomizeOptions{LoadRestrictor: unrestricted}}
			out, err := withCharts.Render(ctx, request)
			if err != nil {
				cancel()
				continue
			}
			looked := out.Locator.Origins(out.Text)
			slow := *out
			slow.Locator = nil
			request.Kustomize.TraceOf = &slow
			traced, err := withCharts.Render(ctx, request)
			cancel()
			if err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			built++
			objects += len(looked)
			found := 0
			for i, o := range looked {
				if o.File == "" {
					continue
				}
				found++
				if len(traced.Origins) == 0 {
					continue // kustomize builds it no second time with origins
				}
				if other := traced.Origins[i]; o.File != other.File || o.Offset != other.Offset {
					t.Errorf("%s: object %d is looked up in %s, and is from %s", dir, i, o.File, traced.Origins[i].File)
				}
			}
			if known += found; found == len(looked) {
				complete++
			} else if len(traced.Origins) > 0 {
				t.Logf("%s: %d of %d objects are looked up", dir, found, len(looked))
			} else {
				t.Logf("%s: %d of %d objects are looked up, none is known after a build with origins", dir, found, len(looked))
			}
		}
	}
	t.Logf("%d kustomizations, %d of them without another build; %d objects, %d looked up", built, complete, objects, known)
	if built < 20 || complete*4 < built*3 {
		t.Errorf("of %d kustomizations only %d need no other build", built, complete)
	}
}

func TestTheLineOfAnObjectIsThatOfItsFileWhateverItIsCalledThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"kustomization.yaml": "namePrefix: a-\nresources: [all.yaml]\n",
		"all.yaml": "# first\nmetadata: {name: a-x}\nkind: Secret\napiVersion: v1\n---\n" +
			"{apiVersion: v1, kind: List, items: [{apiVersion: v1,\n kind: Secret, metadata: {name: x}}]}\n" +
			"---\nkind: \"Secret\"\nmetadata: {name: a-x-y}\napiVersion: v1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := withCharts.Render(t.Context(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	places := render.NewPlaces(out.Text, out.Locator.Origins(out.Text))
	for name, line := range map[string]int{"a-a-x": 3, "a-x": 7, "a-a-x-y": 9} {
		at := strings.Index(string(out.Text), "name: "+name+"\n")
		want := diag.Position{File: filepath.Join(dir, "all.yaml"), Line: line}
		if got := places.At(at); at < 0 || got != want {
			t.Errorf("%s is at %v, want %v", name, got, want)
		}
	}
}

func kustomizationsBelow(t *testing.T, top string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.ToLower(e.Name())
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		if slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "kustomization"}, name) && e.Type().IsRegular() {
			all = append(all, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
