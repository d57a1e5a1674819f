package memory

import "runtime"

// Processors is how many a run may use at once, as GOMAXPROCS says or the container. The runtime may have one more, for
// the watch.
var Processors = runtime.GOMAXPROCS(0)

// processor is one that the runtime has besides those that the run uses. Where a text of a gigabyte is copied, its
// goroutine has one and a worker of the collector, which waits for its stack, another: with two there would be none for
// the watch until it is copied, and copied again.
type processor struct{ asked bool }

// have has the runtime have it once so much is used of a limit, where 0 is one that is not known, that it may be
// needed.
func (p *processor) have(used, limit int64) {
	near := int64(small)
	if limit > 0 {
		near = min(near, limit/2)
	}
	if p.asked || used < near {
		return
	}
	p.asked = true
	go runtime.GOMAXPROCS(Processors + 1) // it waits for the collector, and that for the copying
}
