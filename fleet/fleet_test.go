package fleet_test

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
	"github.com/rollstamp/rollstamp/fleet"
)

func TestPlacesAreStableAndApart(t *testing.T) {
	working := t.TempDir()
	t.Chdir(working)
	cases := []struct {
		apps []string
		want string
	}{
		{[]string{"apps/web", "apps/db/", "./apps/web.yaml"}, "apps/web apps/db apps/web.yaml"},
		{[]string{"apps", "apps/web"}, "apps apps/web"},
		{[]string{"."}, "."},
		{[]string{working, "apps/web"}, ". apps/web"},
		{[]string{".."}, filepath.Base(filepath.Dir(working))},
		{[]string{filepath.Join(working, "apps/web")}, "apps/web"},
		{[]string{"/srv/apps/web", "../../other/apps/web"}, "srv/apps/web other/apps/web"},
	}
	for _, c := range cases {
		got, err := fleet.Folders.Places("out", c.apps)
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
		if got, err := fleet.Folders.Places("out", apps); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%q share a place: got %q, %v", apps, got, err)
		}
	}
}

func TestEachFinishesTheOthersWhenOneFails(t *testing.T) {
	var ran atomic.Int32
	var counted [][2]int
	errs := fleet.Each(context.Background(), 9, func(_ context.Context, i int) error {
		ran.Add(1)
		switch i {
		case 3:
			return fmt.Errorf("app %d is broken", i)
		case 5:
			panic("the value")
		}
		return nil
	}, func(done, total int) { counted = append(counted, [2]int{done, total}) })
	if want := [][2]int{{1, 9}, {2, 9}, {3, 9}, {4, 9}, {5, 9}, {6, 9}, {7, 9}, {8, 9}, {9, 9}}; ran.Load() != 9 ||
		!slices.Equal(counted, want) {
		t.Errorf("%d ran, counted %v", ran.Load(), counted)
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
	for _, err := range fleet.Each(ctx, 3, func(context.Context, int) error { return nil }, nil) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
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

func TestObjectsHaveAFileEachAndNoneElsewhere(t *testing.T) {
	names := []string{"apps/web", "apps/web.yaml", "HelmRelease/apps/web"}
	got, err := fleet.Objects.Places("out", names)
	want := "out/apps/web.yaml out/apps/web.yaml.yaml out/HelmRelease/apps/web.yaml"
	if err != nil || filepath.ToSlash(strings.Join(got, " ")) != want {
		t.Errorf("%q go to %q, %v", names, got, err)
	}
	for _, name := range []string{
		"web", "a/b/c", "a/../b", "../a", "/a/b", "a/", "/a", ".a/b", "a/.b", "a/b/", `a/b\c`, "a/b\nc",
	} {
		if got, err := fleet.Objects.PlaceOf("out", name); diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%q goes to %q, %v", name, got, err)
		}
	}
	clash := []string{"HelmRelease/x", "HelmRelease/x.yaml/web"}
	if got, err := fleet.Objects.Places("out", clash); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("%q share a place: got %q, %v", clash, got, err)
	}
}
