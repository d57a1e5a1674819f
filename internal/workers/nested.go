package workers

import (
	"runtime/debug"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// isWorker is set in a process that serves a pool. What it starts itself stays in its group, so that its pool ends and
// waits for all of that with it.
var isWorker atomic.Bool

// limitNested bounds the stack of a worker that has no limit of its own, so that an endless recursion is known as one.
// One that a worker has started has that one's limit by the kernel, and reaches it before a stack of the usual size.
func limitNested() {
	stack := int64(MaxStack)
	if limit := inherited(); limit > 0 {
		stack = min(stack, limit/4)
		debug.SetMemoryLimit(memory.CollectAt(limit))
	}
	debug.SetMaxStack(int(stack))
}
