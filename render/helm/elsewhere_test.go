package helm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// answering answers requests in this process, with Helm 3's library.
type answering struct{}

func (answering) Do(_ context.Context, request []byte) ([]byte, error) {
	return Answer(request, helm3{})
}

// failing does not answer.
type failing struct{ err error }

func (f failing) Do(context.Context, []byte) ([]byte, error) { return nil, f.err }

func TestARenderElsewhereIsTheSameWithItsOriginsAndFindings(t *testing.T) {
	entries, err := os.ReadDir(charts)
	if err != nil {
		t.Fatal(err)
	}
	rendered := 0
	for _, entry := range entries {
		for _, opt := range []options{unchanged, includeCRDs, set("a=1,b=2.0,c=null"), showOnly("templates/*.yaml"),
			func(r *render.Request) { r.Helm.NameTemplate = "n-{{ add 1 2 }}" }} {
			req := request(entry.Name())
			opt(&req)
			here, hereErr := Engine{}.Render(t.Context(), req)
			there, thereErr := Engine{Version: config.Helm4, Helm4: answering{}}.Render(t.Context(), req)
			if (hereErr == nil) != (thereErr == nil) {
				t.Fatalf("%s: %v, and elsewhere %v", entry.Name(), hereErr, thereErr)
			}
			if hereErr != nil {
				if hereErr.Error() != thereErr.Error() || diag.ExitOf(hereErr) != diag.ExitOf(thereErr) ||
					diag.HintOf(hereErr) != diag.HintOf(thereErr) {
					t.Errorf("%s: %v, and elsewhere %v", entry.Name(), hereErr, thereErr)
				}
				continue
			}
			rendered++
			if !strings.HasSuffix(there.Why, ", rendered with Helm 4") {
				t.Errorf("%s: it does not say what rendered: %s", entry.Name(), there.Why)
			}
			there.Why = here.Why
			if entry.Name() == "dice" { // comes out differently each time
				there.Text, there.SecondRender, there.Origins = here.Text, here.SecondRender, here.Origins
			}
			if (here.SecondRender == nil) != (there.SecondRender == nil) || !bytes.Equal(here.Text, there.Text) {
				t.Errorf("%s: elsewhere %s", entry.Name(), firstDifference(there.Text, here.Text))
			}
			there.SecondRender, there.Text = here.SecondRender, here.Text
			if !reflect.DeepEqual(here, there) {
				t.Errorf("%s: %+v\nand elsewhere %+v", entry.Name(), here, there)
			}
		}
	}
	if rendered < 20 {
		t.Errorf("%d charts were rendered", rendered)
	}
}

func TestHiddenValuesAreNotInErrorsFromElsewhere(t *testing.T) {
	const secret = "correct-horse-canary"
	req := render.Request{Path: filepath.Join(charts, "almanac")}
	req.Helm.Values = []render.Values{{Name: "of a Secret", Hidden: redact.NewValues(secret),
		Table: map[string]any{"sign": "{{ fail \"" + strings.Repeat("x", maxCause-30) + secret + "\" }}"}}}
	_, err := Engine{Version: config.Helm4, Helm4: answering{}}.Render(t.Context(), req)
	if err == nil || strings.Contains(err.Error(), secret[:9]) || len(err.Error()) > 2*maxCause {
		t.Errorf("got %v", err)
	}
}

func TestAProgramThatDoesNotAnswerIsAnErrorOfItsChart(t *testing.T) {
	req := request("shop")
	for _, c := range []struct {
		program Program
		want    string
		exit    diag.Exit
	}{
		{nil, "render with Helm 4: it is not available here", diag.ExitUsage},
		{failing{&workers.Ended{Cause: workers.StackOverflow}},
			"charts/shop: render with Helm 4: what it renders calls itself without end", diag.ExitInput},
		{failing{&workers.Ended{Cause: workers.OutOfMemory}},
			"charts/shop: render with Helm 4: it needs more memory than it may have", diag.ExitInput},
		{failing{errors.New("it crashed")}, "charts/shop: render with Helm 4: it crashed", diag.ExitInput},
		{failing{diag.Usage(errors.New("not installed"), "Install it.")}, "not installed", diag.ExitUsage},
	} {
		_, err := Engine{Version: config.Helm4, Helm4: c.program}.Render(t.Context(), req)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || diag.ExitOf(err) != c.exit {
			t.Errorf("got %v, exit %d, want %s", err, diag.ExitOf(err), c.want)
		}
		var want, got *workers.Ended
		if f, ok := c.program.(failing); ok && errors.As(f.err, &want) && (!errors.As(err, &got) || got != want) {
			t.Errorf("%v does not say how the process ended", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Engine{Version: config.Helm4, Helm4: failing{context.Canceled}}.Render(ctx, req)
	if err == nil || !strings.Contains(err.Error(), "render chart: context canceled") {
		t.Errorf("after the end of its time: %v", err)
	}
}

func TestHelm4ReadsValuesByItsRules(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "two.yaml")
	if err := os.WriteFile(file, []byte("a: 1\nb: {c: 2}\n---\n---\na: 3\nb: {d: 4}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := render.HelmOptions{ValuesFiles: []string{file}, SetJSON: []string{` {"b": {"c": [5]}}`, `e={"f": 6}`}}
	v := valueReader{system: files.OrDisk(nil), version: config.Helm4}
	got, err := v.read(t.Context(), o)
	want := map[string]any{"a": 3.0, "b": map[string]any{"c": []any{5.0}, "d": 4.0}, "e": map[string]any{"f": 6.0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	v.version = config.Helm3
	if _, err := v.read(t.Context(), o); err == nil {
		t.Error("Helm 3 takes an object for --set-json")
	}
}
