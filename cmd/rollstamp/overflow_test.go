package main

import (
	"testing"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// TestWhatGoesOnWithTooMuchMemoryIsNamed is about a run that does not look up from its work: see endAnyway.
func TestWhatGoesOnWithTooMuchMemoryIsNamed(t *testing.T) {
	w := &inWork{apps: map[string]*atWork{}}
	full := memory.Exceeded{Used: 400 << 20, Limit: 300 << 20}
	const says = "interrupted: the run uses 400 MiB of memory and may have 300 MiB"
	var ends []func()
	for _, c := range []struct{ begins, want string }{
		{"", says},
		{"apps/a", "apps/a: " + says},
		{"apps/b", says + ", while it worked on apps/a, apps/b"},
	} {
		if c.begins != "" {
			end, _ := w.Begin(c.begins, "")
			ends = append(ends, end)
		}
		if got := w.exceededError(full).Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	ends[1]()
	w.At("apps/a", "templates/x.yaml")
	if got, want := w.exceededError(full).Error(), "apps/a: "+says+", while templates/x.yaml was evaluated"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMemoryIsAwaited(t *testing.T) {
	if used := memory.AwaitUse(1 << 20); used < 1<<20 {
		t.Errorf("%d bytes are used", used)
	}
}
