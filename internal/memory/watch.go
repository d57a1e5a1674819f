package memory

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"time"
)

// Usual is how much memory a run may use where nobody says how much: many times what the largest repositories need, and
// little enough that a template which never stops growing ends soon.
const Usual = 3 << 30

// small is how much a run may use before it is looked at closely.
const small = 256 << 20

// Exceeded is the error of a process that is about to use more than it may have.
type Exceeded struct {
	Used, Limit int64
	Addresses   bool // Limit is a part of the addresses that a process may have
}

// Error names both in MiB.
func (e Exceeded) Error() string {
	text := fmt.Sprintf("the run uses %d MiB of memory and may have %d MiB", e.Used>>20, e.Limit>>20)
	if e.Addresses {
		text += ", a quarter of what ulimit -v leaves it"
	}
	return text
}

// Watch calls end once, when the process is about to use more memory than limit, or than its container or the machine
// has and Usual where limit is 0. It returns when ctx ends. A run that is short, or small, costs nothing.
func Watch(ctx context.Context, root fs.FS, limit int64, end func(Exceeded)) {
	addresses := ofAddresses(root)
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	inForce.Store(limit)
	var pace collector
	var own processor
	isPaced := false // by us
	for above := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := InUse()
		if addresses > 0 && used >= addresses {
			end(Exceeded{used, addresses, true})
			return
		}
		own.have(used, limit)
		if used < small {
			continue
		}
		if limit == 0 {
			limit = ofSystem(root)
			inForce.Store(limit)
		}
		if above == 0 && !isSet() {
			debug.SetMemoryLimit(CollectAt(limit))
			isPaced = true
		}
		if isPaced {
			pace.share(limit)
		}
		if above++; used < EndAt(limit) && !isScarce(root, used) {
			above = 1
		}
		if above > 2 || used >= limit {
			end(Exceeded{Used: used, Limit: limit})
			return
		}
	}
}

// ofAddresses returns how much a process may use whose addresses are limited; 0 where they are not. Where there are no
// more, the runtime ends the process in its own words, and a template that doubles a text asks at once for two and a
// half times what it has: so it is a quarter of what is left.
func ofAddresses(root fs.FS) int64 {
	limit := addressLimit()
	if limit <= 0 {
		return 0
	}
	return InUse() + max(0, limit-addressesInUse(root))/4
}

// addressesInUse returns how many bytes of addresses the process has, from the files below root; 0 where the system
// does not say.
func addressesInUse(root fs.FS) int64 {
	page := int64(os.Getpagesize())
	text, err := fs.ReadFile(root, "proc/self/statm")
	if err != nil {
		return 0
	}
	var pages int64
	_, _ = fmt.Sscan(string(text), &pages) // 0 where it is no number
	return pages * page
}

// isSet reports whether somebody says how much memory the runtime may use, with GOMEMLIMIT.
func isSet() bool { return debug.SetMemoryLimit(-1) != math.MaxInt64 }

// ofSystem returns what the container or the machine has, and not more than Usual where nobody says more.
func ofSystem(root fs.FS) int64 {
	limit := int64(Usual)
	if isSet() {
		limit = math.MaxInt64
	}
	if total, _ := OfMachine(root); total > 0 {
		limit = min(limit, total)
	}
	if container := OfContainer(root); container > 0 {
		limit = min(limit, container)
	}
	return limit
}

// isScarce reports whether the process uses most of what the machine had, and next to nothing is left.
func isScarce(root fs.FS, used int64) bool {
	total, available := OfMachine(root)
	return total > 0 && used > total/4 && available < total/50
}
