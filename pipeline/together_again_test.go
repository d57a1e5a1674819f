package pipeline_test

import (
	"context"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// TestWhatIsLookedAtAgainIsAsIfItWereRead compares the workloads of a retained result under other settings about other
// tools with those of a run under these.
func TestWhatIsLookedAtAgainIsAsIfItWereRead(t *testing.T) {
	compared, differ := 0, 0
	for seed := range uint64(400) {
		a, err := newTogether(t, t.TempDir(), binary.BigEndian.AppendUint64(nil, seed))
		if err != nil {
			continue
		}
		off, on := a.settings.Clone(), a.settings.Clone()
		off.Compat = config.Compat{}
		on.Compat = toolsOf(newChoices(binary.BigEndian.AppendUint64(nil, seed)))
		retained := app.New(app.Spec{Name: "x", Request: &render.Request{Path: "-"}, Settings: off,
			Stamping: &app.Stamping{Key: a.key, Retain: true},
			Stream:   &render.Output{Kind: render.KindPlain, Text: a.write()}})
		first, err := pipeline.Run(context.Background(), retained)
		if err != nil {
			continue
		}
		if !first.Input.MayReadAgain() && len(off.Bindings.Value) == 0 {
			t.Fatalf("seed %d: the input is not retained", seed)
		}
		got, err := first.WorkloadsUnder(context.Background(), retained, on, first.Output)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, err := pipeline.Stamp(context.Background(), retained.WithSettings(on), first.Output)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if g, w := restartsOf(got), restartsOf(want.Plan.Workloads); !reflect.DeepEqual(g, w) {
			t.Fatalf("seed %d: looked at again\n%v\nread\n%v\nof\n%s\n%s", seed, g, w, a.configuration, a.write())
		}
		if compared++; !reflect.DeepEqual(restartsOf(first.Plan.Workloads), restartsOf(got)) {
			differ++
		}
	}
	if differ < 40 {
		t.Errorf("of %d trees the other settings change %d only", compared, differ)
	}
}

// toolsOf returns random settings about other tools.
func toolsOf(c *choices) (out config.Compat) {
	out.Reloader.Value = pick(c, config.ReloaderHonour, config.ReloaderOnly)
	out.WholeObjects.Value = c.oneIn(2)
	if c.oneIn(2) {
		on := config.CompatHonour
		out.Wave.Value, out.Flagger.Value, out.OnePassword.Value = on, on, on
	}
	if c.oneIn(4) {
		out.ReloaderArgs.Value = []config.NonEmpty{"--auto-reload-all=true"}
	}
	return out
}

// restartsOf returns the digests of what each workload is restarted for.
func restartsOf(all []plan.Workload) map[string][]string {
	out := map[string][]string{}
	for _, w := range all {
		id := w.Kind + " " + w.Namespace + "/" + w.Name
		for _, r := range w.References {
			out[id] = append(out[id], r.Kind+"/"+r.Name+" "+r.Digest+" "+string(r.Held))
		}
	}
	return out
}
