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

	"github.com/rollstamp/rollstamp/app"
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
			kind, why, err := pipeline.Detect(nil, root)
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
		if kind, _, err := pipeline.Detect(nil, filepath.Join(root, name)); kind != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", name, kind, err, want)
		}
	}
	if _, _, err := pipeline.Detect(nil, filepath.Join(root, "absent")); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("absent: %v", err)
	}
	if _, _, err := pipeline.Detect(nil, "oci://registry/chart"); diag.ExitOf(err) != diag.ExitUsage {
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

// engine is a renderer that does what the test says.
type engine func(context.Context, render.Request) (*render.Output, error)

func (e engine) Render(ctx context.Context, req render.Request) (*render.Output, error) {
	return e(ctx, req)
}

const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {A: x}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]
`

func run(spec app.Spec, e engine) (*pipeline.Result, error) {
	spec.Engines = render.Engines{render.KindPlain: e}
	return pipeline.Run(context.Background(), app.New(spec))
}

func printed(t *testing.T, r *pipeline.Result) string {
	t.Helper()
	var out strings.Builder
	if _, err := r.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRunRendersAndStamps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, manifests)
	read := func(_ context.Context, req render.Request) (*render.Output, error) {
		text, err := os.ReadFile(req.Path)
		return &render.Output{Text: text, Findings: []diag.Finding{diag.New(diag.Skipped, "", "something")}}, err
	}
	only, err := run(app.Spec{Request: render.Request{Path: file}}, read)
	if err != nil {
		t.Fatal(err)
	}
	if printed(t, only) != manifests || len(only.Findings()) != 1 || only.Output.Kind != render.KindPlain || only.Output.Why == "" {
		t.Errorf("without stamping: %q, %+v, %q because %q", printed(t, only), only.Findings(), only.Output.Kind, only.Output.Why)
	}
	both, err := run(app.Spec{Request: render.Request{Path: file}, Stamping: &app.Stamping{}}, read)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed(t, both), "checksum.rollstamp.dev/configmap.settings: v1-") || len(both.Findings()) != 1 {
		t.Errorf("with stamping: %q, %+v", printed(t, both), both.Findings())
	}
}

func TestRunTakesAStreamThatWasRead(t *testing.T) {
	out := &render.Output{Kind: render.KindPlain, Text: []byte(" \n")}
	r, err := run(app.Spec{Stream: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fs := r.Findings(); len(fs) != 1 || fs[0].Code != diag.NoObjects {
		t.Errorf("findings of a blank stream are %+v", fs)
	}
}

func TestRunDoesNotWaitForWhatNeverEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, "")
	release := make(chan struct{})
	defer close(release)
	began := make(chan struct{}, 2)
	endless := func(context.Context, render.Request) (*render.Output, error) {
		began <- struct{}{}
		<-release
		return nil, errors.New("too late")
	}
	_, err := run(app.Spec{Request: render.Request{Path: file}, Timeout: 1}, endless)
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "a.yaml: not finished after 1ns") {
		t.Errorf("a timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-began
		cancel()
	}()
	_, err = pipeline.Run(ctx, app.New(app.Spec{Request: render.Request{Path: file}, Engines: render.Engines{render.KindPlain: engine(endless)}}))
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an interrupt: %v", err)
	}
}

func TestRunTurnsAPanicIntoAFaultOfOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, "")
	_, err := run(app.Spec{Request: render.Request{Path: file}}, func(context.Context, render.Request) (*render.Output, error) {
		panic("hunter2")
	})
	if diag.ExitOf(err) != diag.ExitInternal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestRunAsksForAnEngine(t *testing.T) {
	_, err := pipeline.Run(context.Background(), app.New(app.Spec{Kind: render.KindHelm, Request: render.Request{Path: "."}}))
	if diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("got %v", err)
	}
}
