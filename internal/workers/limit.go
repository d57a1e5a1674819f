package workers

import (
	"context"
	"os"
	"runtime/debug"

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
	memory.LimitData(limit)
	go func() {
		if _, reached := memory.AwaitLimit(ctx, limit); reached {
			os.Exit(ExitFull)
		}
	}()
}

// ExitFull is the exit code of a worker whose memory is used up.
const ExitFull = 97
