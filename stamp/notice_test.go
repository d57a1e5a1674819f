package stamp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/stamp"
)

// sevens has version 7 of everything.
type sevens struct{}

func (sevens) Resolve(_ context.Context, asked []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	out := make([]sources.Answer, len(asked))
	for i := range out {
		out[i].Version = "7"
	}
	return out, nil, nil
}

// What is true of an object is reported once, however many workloads consume it, and with the first of them.
func TestWhatHasNoVersionIsReportedForItsFirstReference(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(stream(1)), "property: user}", "property: user, metadataPolicy: Fetch}", 1)
	i := strings.Index(text, "apiVersion: apps/v1")
	text += strings.Replace(text[i:], "web-0", "worker-0", 1)
	r, err := stamp.Make(t.Context(), &render.Output{Text: []byte(text)}, stamp.Options{Resolver: sevens{}})
	if err != nil {
		t.Fatal(err)
	}
	count := func(list []diag.Finding) (n int) {
		for _, f := range list {
			if f.Code == diag.NotAsked {
				n++
			}
		}
		return n
	}
	if n := count(r.Plan.Findings); n != 1 {
		t.Errorf("the plan has %d such findings: %v", n, r.Plan.Findings)
	}
	for i, want := range []int{1, 0} {
		w := r.Plan.Workloads[i]
		if ref := w.References[1]; ref.Name != "db-0" || count(ref.Findings) != want || ref.Digest == "" {
			t.Errorf("%s has %+v", w.Name, ref)
		}
	}
}
