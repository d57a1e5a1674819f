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
		if got := percent(c.live, 0); got != c.want {
			t.Errorf("with %d bytes alive the pace is %d, want %d", c.live, got, c.want)
		}
	}
}

func TestAHeapBelowWhatIsAllowedIsNotCollected(t *testing.T) {
	for _, c := range []struct {
		live, allowed uint64
		want          int
	}{{16 << 20, 128 << 20, 700}, {32 << 20, 128 << 20, 300}, {64 << 20, 128 << 20, 100}, {100 << 20, 128 << 20, 60},
		{200 << 20, 128 << 20, 60}, {40 << 20, 2 << 20, 60}, {12 << 20, 20 << 20, 200}} {
		if got := percent(c.live, c.allowed); got != c.want {
			t.Errorf("with %d bytes alive and %d allowed the pace is %d, want %d", c.live, c.allowed, got, c.want)
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

func TestTheLargestHeapThatIsAllowedCounts(t *testing.T) {
	defer allowed.Store(allowed.Load())
	for _, c := range []struct{ size, want int64 }{
		{2 << 20, 2 << 20}, {1 << 20, 2 << 20}, {1 << 40, MaxAllowed}, {0, MaxAllowed},
	} {
		if AllowHeap(c.size); allowed.Load() != c.want {
			t.Errorf("after %d it is %d, want %d", c.size, allowed.Load(), c.want)
		}
	}
}
