package memory_test

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/internal/memory"
)

func TestTheWatchHasAProcessorOfItsOwnOnceMuchIsUsed(t *testing.T) {
	defer runtime.GOMAXPROCS(memory.Processors)
	ballast := make([]byte, 80<<20)
	defer runtime.KeepAlive(ballast)
	go memory.Watch(t.Context(), fstest.MapFS{}, memory.InUse()*3/2, func(memory.Exceeded) { t.Error("it ended") })
	for runtime.GOMAXPROCS(0) == memory.Processors {
		runtime.Gosched()
	}
}
