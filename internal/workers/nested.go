package workers

import (
	"encoding/binary"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// self is this process as a worker, where it serves a pool. What it starts itself stays in its group, so that its pool
// ends and waits for all of that with it.
var self atomic.Pointer[served]

// limitNested bounds what a worker without a limit of its own uses, which counts as memory of the process that has
// started it: its stack, so that an endless recursion is known as one, and its garbage. Both share a limit.
func limitNested(shared int64) {
	debug.SetMaxStack(int(min(MaxStack, shared/4)))
	debug.SetMemoryLimit(memory.CollectAt(shared / 2))
}

// including is held while the processes that count as this one are changed and reported.
var including sync.Mutex

// include counts the memory of a process as this one's, also for the pool that this process is a worker of.
func include(pid int) (end func()) {
	including.Lock()
	defer including.Unlock()
	forget := memory.Include(pid)
	reportIncluded()
	return func() {
		including.Lock()
		defer including.Unlock()
		forget()
		reportIncluded()
	}
}

// reportIncluded reports to the pool which processes count as this worker.
func reportIncluded() {
	w := self.Load()
	if w == nil {
		return
	}
	var payload []byte
	for _, pid := range memory.Included() {
		payload = binary.BigEndian.AppendUint64(payload, uint64(pid))
	}
	_ = w.write(includedFrame, payload) // where nobody reads it, the process is about to end
}

// include takes a report of what counts as the worker.
func (w *worker) include(payload []byte) {
	var all []int
	for ; len(payload) >= sizeOfNumber; payload = payload[sizeOfNumber:] {
		all = append(all, int(binary.BigEndian.Uint64(payload)))
	}
	w.included.Store(&all)
}

// memory returns the bytes that a worker uses, with what counts as it.
func (w *worker) memory() int64 {
	sum := memory.Of(w.cmd.Process.Pid)
	if all := w.included.Load(); all != nil {
		for _, pid := range *all {
			sum += memory.Of(pid)
		}
	}
	return sum
}
