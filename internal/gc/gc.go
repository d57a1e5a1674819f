// Package gc sets the garbage collector's pace before the heavy libraries initialise.
//
// Go initialises packages in the order of their import paths as soon as what they import is ready. This package
// imports next to nothing and sorts before helm.sh, k8s.io and sigs.k8s.io, so its variable is set before their
// tables are built. Measured on two cores: start-up falls from 15 to 10 ms CPU.
package gc

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Before the first collection the heap may grow by first percent of the 4 MiB that Go begins with: 32 MiB, within which
// nearly every chart is rendered. Then it may grow by fastest percent of what is live, as long as that is less than
// headroom; with more alive, by headroom, and never by less than slowest percent.
const (
	first    = 800
	fastest  = 400
	slowest  = 60
	headroom = 24 << 20
	most     = 100 * MaxAllowed / (4 << 20) // with less alive than Go begins with
)

// MaxAllowed is the most that a heap may grow to without being collected.
const MaxAllowed = 128 << 20

// allowed is what AllowHeap has set.
var allowed atomic.Int64

// AllowHeap has a heap of less than size bytes not be collected from its next collection on, where GOGC does not say
// otherwise: a command that knows that it renders much ends sooner. With more than that alive the pace is as before.
// The largest size of a process counts.
func AllowHeap(size int64) {
	size = min(size, MaxAllowed)
	for before := allowed.Load(); size > before; before = allowed.Load() {
		if allowed.CompareAndSwap(before, size) {
			return
		}
	}
}

// heapOfEach is how much of the heap is not collected for each application of a run: what most of their results take
// that stay to the end.
const heapOfEach = 64 << 10

// AllowHeapOf is AllowHeap for a run over so many applications.
func AllowHeapOf(applications int) { AllowHeap(heapOf(applications)) }

func heapOf(applications int) int64 { return min(int64(applications)*heapOfEach, MaxAllowed) }

// Percent is the pace at the start: 800 unless GOGC says otherwise. A process that renders little and ends gains
// nothing from collecting earlier.
var Percent = pace()

func pace() int {
	if os.Getenv("GOGC") != "" {
		return -1
	}
	debug.SetGCPercent(first)
	runtime.SetFinalizer(&cycle{}, (*cycle).over)
	return first
}

// cycle is never reachable, so that its finalizer runs after each collection.
type cycle struct{ _ *cycle }

// over sets the pace for the next collection by what this one found alive, so that a large render has no multiple of
// its size as garbage.
func (*cycle) over() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(percent(live[0].Value.Uint64(), uint64(allowed.Load())))
	}
	runtime.SetFinalizer(&cycle{}, (*cycle).over)
}

// percent returns by how much the heap may grow with so much alive, and so much allowed.
func percent(live, allowed uint64) int {
	live = max(live, 1)
	pace := min(fastest, max(slowest, 100*headroom/live))
	if allowed > live {
		pace = max(pace, 100*(allowed-live)/live)
	}
	return int(min(pace, most))
}
