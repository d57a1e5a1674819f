package gc

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestTheMoreIsAliveTheSlowerTheHeapGrows(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {4 << 20, 400}, {6 << 20, 400}, {12 << 20, 200}, {24 << 20, 100}, {40 << 20, 60}, {1 << 40, 60}} {
		if got := percent(c.live); got != c.want {
			t.Errorf("with %d bytes alive the pace is %d, want %d", c.live, got, c.want)
		}
	}
}

func TestThePaceFollowsEachCollection(t *testing.T) {
	if Percent != first {
		t.Skip("GOGC is set")
	}
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	// A finalizer runs some time after its collection; what is asked is that it does, not when.
	for debug.SetGCPercent(fastest) != slowest {
		runtime.GC()
		runtime.Gosched()
	}
}
