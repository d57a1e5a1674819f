package memory

import (
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// others are the processes whose memory counts as this one's.
var others struct {
	sync.Mutex
	ids map[int]bool
}

// Include has InUse count the memory of another process, until the caller calls what it returns.
func Include(pid int) (end func()) {
	others.Lock()
	defer others.Unlock()
	if others.ids == nil {
		others.ids = map[int]bool{}
	}
	others.ids[pid] = true
	return func() {
		others.Lock()
		defer others.Unlock()
		delete(others.ids, pid)
	}
}

// Included returns the processes that Include counts.
func Included() []int {
	others.Lock()
	defer others.Unlock()
	return slices.Sorted(maps.Keys(others.ids))
}

// ofOthers returns how many bytes they use.
func ofOthers() (sum int64) {
	for _, pid := range Included() {
		sum += Of(pid)
	}
	return sum
}

// inForce is the limit that Watch or AwaitLimit holds the process to; 0 where none has begun to, or looked.
var inForce atomic.Int64

// Limit returns how many bytes the process may use, those of others that count as its own among them.
func Limit() int64 {
	if limit := inForce.Load(); limit > 0 {
		return limit
	}
	return ofSystem(os.DirFS("/"))
}

// collector sets the garbage collector's pace by a limit that this process shares with others.
type collector struct{ left int64 }

// share leaves to others what they use of the limit, up to half of it.
func (c *collector) share(limit int64) {
	const step = 16 << 20 // it stops the process for a moment
	theirs := ofOthers()
	if theirs == 0 && c.left == 0 {
		return
	}
	if left := min(theirs, limit/2) / step * step; left != c.left {
		c.left = left
		debug.SetMemoryLimit(CollectAt(limit - left))
	}
}
