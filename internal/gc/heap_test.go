package gc

import "testing"

func TestTheHeapFollowsThePathsUpToWhatMayBeAllowed(t *testing.T) {
	for paths, want := range map[int]int64{
		0: 0, 1: 64 << 10, 100: 6400 << 10, 768: 48 << 20, 2048: 128 << 20, 10_000: 128 << 20,
	} {
		if got := heapOf(paths); got != want {
			t.Errorf("of %d paths it is %d bytes, want %d", paths, got, want)
		}
	}
}
