package workers

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// MaxStack is how far a goroutine's stack may grow: many times what the deepest templates need, and a small part of
// the gigabyte that Go allows, which an endless recursion would fill.
const MaxStack = 128 << 20

// limitMemory keeps the process below so many bytes of memory: the kernel refuses more where it can; elsewhere, or
// before that, the process ends itself.
func limitMemory(ctx context.Context, limit int64) {
	debug.SetMaxStack(int(min(MaxStack, limit/4)))
	debug.SetMemoryLimit(memory.CollectAt(limit))
	limitData(limit)
	go watch(ctx, limit, func() { os.Exit(ExitFull) })
}

// watch calls end when the process uses as much memory as it may.
func watch(ctx context.Context, limit int64, end func()) {
	tick := time.NewTicker(memory.Interval)
	defer tick.Stop()
	for above := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := memory.InUse()
		if above++; used < memory.EndAt(limit) {
			above = 0
		}
		if above > 1 || used >= limit {
			end()
			return
		}
	}
}

// ExitFull is the exit code of a worker whose memory is used up.
const ExitFull = 97
