package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

func TestDetectGoesByTheFilesOfAFolder(t *testing.T) {
	cases := []struct {
		files []string
		want  render.Kind
	}{
		{[]string{"Chart.yaml", "kustomization.yaml"}, render.KindHelm},
		{[]string{"kustomization.yaml", "a.yaml"}, render.KindKustomize},
		{[]string{"kustomization.yml"}, render.KindKustomize},
		{[]string{"Kustomization"}, render.KindKustomize},
		{[]string{"values.yaml", "chart.yaml"}, render.KindPlain},
		{[]string{"Chart.yaml/x"}, render.KindPlain},
		{nil, render.KindPlain},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.files, " "), func(t *testing.T) {
			root := t.TempDir()
			for _, f := range c.files {
				write(t, filepath.Join(root, f), "")
			}
			kind, why, err := pipeline.Detect(root)
			if kind != c.want || why == "" || err != nil {
				t.Errorf("got %q because %q, %v; want %q", kind, why, err, c.want)
			}
		})
	}
}

func TestDetectTakesAFileForManifestsOrAPackedChart(t *testing.T) {
	root := t.TempDir()
	for name, want := range map[string]render.Kind{"a.yaml": render.KindPlain, "web-1.2.3.tgz": render.KindHelm, "Chart.yaml": render.KindPlain} {
		write(t, filepath.Join(root, name), "")
		if kind, _, err := pipeline.Detect(filepath.Join(root, name)); kind != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", name, kind, err, want)
		}
	}
	if _, _, err := pipeline.Detect(filepath.Join(root, "absent")); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("absent: %v", err)
	}
	if _, _, err := pipeline.Detect("oci://registry/chart"); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("an address: %v", err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPlacesAreStableAndApart(t *testing.T) {
	working := t.TempDir()
	t.Chdir(working)
	cases := []struct {
		apps []string
		want string
	}{
		{[]string{"apps/web", "apps/db/", "./apps/web.yaml"}, "apps/web apps/db apps/web.yaml"},
		{[]string{"apps", "apps/web"}, "apps apps/web"},
		{[]string{"."}, filepath.Base(working)},
		{[]string{".."}, filepath.Base(filepath.Dir(working))},
		{[]string{filepath.Join(working, "apps/web")}, "apps/web"},
		{[]string{"/srv/apps/web", "../../other/apps/web"}, "srv/apps/web other/apps/web"},
	}
	for _, c := range cases {
		got, err := pipeline.Places("out", c.apps)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, w := range strings.Fields(c.want) {
			want = append(want, filepath.Join("out", w, "manifests.yaml"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q go to %q, want %q", c.apps, got, want)
		}
	}
	for _, apps := range [][]string{{"apps/web", "./apps/web/"}, {"a", "../a"}, {"a", "a/manifests.yaml"}} {
		if got, err := pipeline.Places("out", apps); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%q share a place: got %q, %v", apps, got, err)
		}
	}
}

func TestEachFinishesTheOthersWhenOneFails(t *testing.T) {
	var ran atomic.Int32
	var told []int
	errs := pipeline.Each(context.Background(), 9, func(_ context.Context, i int) error {
		ran.Add(1)
		switch i {
		case 3:
			return fmt.Errorf("app %d is broken", i)
		case 5:
			panic("the value")
		}
		return nil
	}, func(done int) { told = append(told, done) })
	if ran.Load() != 9 || !slices.Equal(told, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%d ran, told %v", ran.Load(), told)
	}
	for i, err := range errs {
		switch {
		case i == 3 && err.Error() == "app 3 is broken":
		case i == 5 && diag.ExitOf(err) == diag.ExitInternal && !strings.Contains(err.Error(), "the value"):
		case i != 3 && i != 5 && err == nil:
		default:
			t.Errorf("app %d: %v", i, err)
		}
	}
}

func TestEachBeginsNothingAfterItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range pipeline.Each(ctx, 3, func(context.Context, int) error { return nil }, nil) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	}
}
