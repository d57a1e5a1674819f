package wiring_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/wiring"
)

const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}
`

func connect(t *testing.T, stdin string) *wiring.Wiring {
	t.Helper()
	none := func(string) (string, bool) { return "", false }
	return wiring.New(t.Context(), none, "", strings.NewReader(stdin))
}

func TestApplicationsAtPathsAreStampedOrRenderedOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.yaml"), []byte(manifests), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, "-"} {
		for _, only := range []bool{false, true} {
			w := connect(t, manifests)
			paths := wiring.Paths{Wiring: w, RenderOnly: only}
			a, err := paths.Application(t.Context(), w.Disk(), path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := pipeline.Run(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if _, err := result.WriteTo(&out); err != nil {
				t.Fatal(err)
			}
			if a.Name() != path || strings.Contains(out.String(), "checksum.rollstamp.dev/configmap.settings") == only {
				t.Errorf("%s, rendered only %v: it is %s, and prints\n%s", path, only, a.Name(), out.String())
			}
		}
	}
}

func TestAStreamIsPlainManifests(t *testing.T) {
	w := connect(t, manifests)
	paths := wiring.Paths{Wiring: w, Options: app.Options{Kind: render.KindHelm}}
	if _, err := paths.Application(t.Context(), w.Disk(), "-"); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("a stream that is to be a chart: %v", err)
	}
}

func TestStoresAreAskedOnlyWhereThatIsAllowed(t *testing.T) {
	w := connect(t, "")
	refs := []sources.Ref{{Key: "db"}}
	s, err := w.Settings(config.Flags{"secrets": {"live"}}, app.Place{Roots: &config.Roots{}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stamping, _, err := w.Stamping(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	for what, stores := range map[string]sources.VersionResolver{"a render": stamping.Resolver, "a lock": w.Stores(s, nil)} {
		_, _, err := stores.Resolve(context.Background(), refs)
		if diag.ExitOf(err) != diag.ExitUsage || strings.Contains(diag.HintOf(err), "secrets.policy lock") != (what == "a render") {
			t.Errorf("%s: %v (%s)", what, err, diag.HintOf(err))
		}
	}
	if spec, err := w.Settings(config.Flags{}, w.Disk(), t.TempDir()); err != nil {
		t.Fatal(err)
	} else if stamping, _, err = w.Stamping(nil, spec); stamping.Resolver != nil || stamping.Decrypter != nil ||
		err != nil {
		t.Errorf("nothing is asked for: %+v, %v", stamping, err)
	}
}

// TestRememberedSettingsAreThoseOfEachApplication resolves the settings of many applications with a memory, which knows
// those before it, and without one.
func TestRememberedSettingsAreThoseOfEachApplication(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "", ".rollstamp.yaml": "namespace: top\n", "apps/own/.rollstamp.yaml": "namespace: own\n",
		"below/.rollstamp.yaml": "liveVolumes: true\n", "below/rollstamp.lock": "schema 3\nlevel 1\n",
		"apps/a/x.yaml": "", "apps/b/x.yaml": "", "apps/own/x.yaml": "", "below/a/x.yaml": "", "below/b/x.yaml": "",
	} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := connect(t, "")
	at := app.Place{Roots: &config.Roots{}}
	with := wiring.Paths{Wiring: w, Resolved: &wiring.Resolved{}}
	alike := map[*app.Alike]*config.Settings{}
	for range 2 {
		for _, name := range []string{"apps/a", "apps/b", "apps/own", "apps/own/x.yaml", "below/a", "below/b", "below", "."} {
			path := filepath.Join(top, filepath.FromSlash(name))
			a, err := with.Application(t.Context(), at, path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.Settings(nil, at, path)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Settings(); got.Place() != want.Place() || got.Namespace != want.Namespace ||
				got.LiveVolumes != want.LiveVolumes || got.Level != want.Level || got.File != want.File {
				t.Errorf("%s has %+v, want %+v", name, got, want)
			}
			common := a.Settings().At(config.Place{})
			if of := alike[a.Alike()]; a.Alike() == nil || of != nil && !reflect.DeepEqual(of, common) {
				t.Errorf("%s is said to be under settings that it is not under", name)
			} else if of != nil && of.InForce != common.InForce {
				t.Errorf("%s has a copy of the settings that others are under", name)
			}
			alike[a.Alike()] = common
		}
	}
	if len(alike) != 3 {
		t.Errorf("there are %d sorts of settings, of 3", len(alike))
	}
}

func TestOtherSettingsOrAnotherKeyAreNotAlike(t *testing.T) {
	one, other := hashing.Key{}, hashing.Key{}
	a := app.New(app.Spec{}).WithStamped(app.Stamped{Stamping: app.Stamping{Key: &one}, Alike: &app.Alike{}})
	if a.WithStamping(a.Stamping().ToReport()).Alike() != a.Alike() {
		t.Error("a report is under the same settings")
	}
	if a.WithStamping(app.Stamping{Key: &other}).Alike() != nil || a.WithSettings(config.New()).Alike() != nil {
		t.Error("it is said to be what it was")
	}
}

func TestACachedResultThatIsGoneIsRenderedAgainOrAnError(t *testing.T) {
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	file := filepath.Join(dir, "a.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	write(object)
	find := func() *pipeline.Rendered {
		paths := wiring.Paths{Wiring: connect(t, ""), Flags: config.Flags{"render-cache": {cache}}}
		a, err := paths.Application(t.Context(), app.Place{Roots: &config.Roots{}}, dir)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pipeline.RunLazily(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	find()
	again, lost := find(), find()
	if again.IsAtHand() || lost.IsAtHand() {
		t.Fatal("it is rendered each time")
	}
	remove := func() {
		if err := os.RemoveAll(filepath.Join(cache, "v1")); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if r, err := again.Result(); err != nil || !strings.HasSuffix(string(r.Output.Text), object) {
		t.Errorf("it is %v, %v", r, err)
	}
	remove()
	write("a: [\n")
	if r, err := lost.Result(); err == nil || r != nil || lost.Err() == nil {
		t.Errorf("what cannot be had any more is %v, %v", r, err)
	}
}

func TestWhatOthersKnewOfAnApplicationThatFailsByNowIsAnError(t *testing.T) {
	top, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	write := func(name, text string) string {
		dir := filepath.Join(top, name)
		err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dirs := []string{
		write("web", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n"+
			"  template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]}}\n"),
		write("settings", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n"),
	}
	members := func() []*fleet.Member {
		paths := wiring.Paths{Wiring: connect(t, ""), Flags: config.Flags{"render-cache": {cache}}}
		defer paths.CloseRenders()
		out := make([]*fleet.Member, len(dirs))
		for i, dir := range dirs {
			a, err := paths.Application(t.Context(), app.Place{Roots: &config.Roots{}}, dir)
			if err != nil {
				t.Fatal(err)
			}
			found, err := pipeline.RunLazily(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = fleet.MemberWith(a, found)
		}
		return out
	}
	for isSettled := false; !isSettled; { // else nothing is noted of files that changed so lately
		<-time.After(10 * time.Millisecond) // what is waited for is a time
		state, err := files.LookAt(filepath.Join(dirs[1], "all.yaml"))
		if isSettled = state.IsBefore(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	members()
	found, lost := members(), members()
	errs := make([]error, len(dirs))
	neighbours := fleet.NewNeighbours(found)
	if neighbours.AddLost(errs); errors.Join(errs...) != nil {
		t.Errorf("nothing is gone: %v", errs)
	}
	if _, ok := neighbours.Provider(0, "ConfigMap", "shop", "settings"); !ok {
		t.Error("nobody renders what the workload reads")
	}
	if err := os.RemoveAll(filepath.Join(cache, "v1")); err != nil {
		t.Fatal(err)
	}
	write("settings", "a: [\n")
	fleet.NewNeighbours(lost).AddLost(errs)
	if errs[0] != nil || errs[1] == nil {
		t.Errorf("the errors are %v", errs)
	}
}
