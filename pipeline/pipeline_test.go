package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
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
	for name, want := range map[string]render.Kind{"a.yaml": render.KindPlain, "web-1.2.3.tgz": render.KindHelm} {
		write(t, filepath.Join(root, name), "")
		if kind, _, err := pipeline.Detect(nil, filepath.Join(root, name)); kind != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", name, kind, err, want)
		}
	}
	write(t, filepath.Join(root, "Chart.yaml"), "")
	if _, _, err := pipeline.Detect(nil, filepath.Join(root, "Chart.yaml")); diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("a part of a chart: %v", err)
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
	only, err := run(app.Spec{Request: &render.Request{Path: file}}, read)
	if err != nil {
		t.Fatal(err)
	}
	if printed(t, only) != manifests || len(only.Findings()) != 1 || only.Output.Kind != render.KindPlain || only.Output.Why == "" {
		t.Errorf("without stamping: %q, %+v, %q because %q", printed(t, only), only.Findings(), only.Output.Kind, only.Output.Why)
	}
	both, err := run(app.Spec{Request: &render.Request{Path: file}, Stamping: &app.Stamping{}}, read)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(printed(t, both), "checksum.rollstamp.dev/configmap.settings: v1-") || len(both.Findings()) != 1 {
		t.Errorf("with stamping: %q, %+v", printed(t, both), both.Findings())
	}
}

func TestRunDoesNotChangeWhatAnEngineReturned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, manifests)
	out := &render.Output{Text: []byte(manifests)}
	r, err := run(app.Spec{Request: &render.Request{Path: file}},
		func(context.Context, render.Request) (*render.Output, error) { return out, nil })
	if err != nil {
		t.Fatal(err)
	}
	if out.Kind != "" || out.Why != "" || r.Output.Kind != render.KindPlain || r.Output.Why == "" {
		t.Errorf("the engine's is %q because %q, the result's %q because %q", out.Kind, out.Why, r.Output.Kind, r.Output.Why)
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

// lateOnes is told what goes on after its time.
type lateOnes struct{ names []string }

func (*lateOnes) Begin(string, string) (end func(), err error) { return func() {}, nil }
func (*lateOnes) At(string, string)                            {}
func (l *lateOnes) Late(name string, after time.Duration) {
	l.names = append(l.names, name+" after "+after.String())
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
	late := &lateOnes{}
	engines := render.Engines{render.KindPlain: engine(endless)}
	spec := app.Spec{Request: &render.Request{Path: file}, Timeout: 1, Engines: engines}
	_, err := pipeline.Run(contain.With(context.Background(), late), app.New(spec))
	if len(late.names) != 1 || !strings.HasSuffix(late.names[0], "a.yaml after 1ns") {
		t.Errorf("what goes on is %q", late.names)
	}
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "a.yaml: not finished after 1ns") {
		t.Errorf("a timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-began
		cancel()
	}()
	_, err = pipeline.Run(
		ctx,
		app.New(app.Spec{Request: &render.Request{Path: file}, Engines: render.Engines{render.KindPlain: engine(endless)}}),
	)
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an interrupt: %v", err)
	}
}

func TestRunTurnsAPanicIntoAFaultOfOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, "")
	_, err := run(
		app.Spec{Request: &render.Request{Path: file}},
		func(context.Context, render.Request) (*render.Output, error) {
			panic("hunter2")
		},
	)
	if diag.ExitOf(err) != diag.ExitInternal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestRunAsksForAnEngine(t *testing.T) {
	_, err := pipeline.Run(context.Background(), app.New(app.Spec{Kind: render.KindHelm, Request: &render.Request{Path: "."}}))
	if diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("got %v", err)
	}
}
