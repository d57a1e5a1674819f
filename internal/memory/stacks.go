package memory

import (
	"context"
	"runtime/metrics"
	"time"
)

// AwaitStacks reports whether the stacks of all goroutines have come to use so many bytes; false where ctx ended
// before. An overflow ends the process in the runtime's own words, and nothing can recover from it. But a stack grows
// by doubling, and whoever stays below the largest one by two steps has half a second or so to end it in better words.
func AwaitStacks(ctx context.Context, limit int64) bool {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if stacks() >= limit {
			return true
		}
	}
}

// stacks returns how many bytes the stacks of all goroutines use.
func stacks() int64 {
	one := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(one)
	return int64(one[0].Value.Uint64())
}
