// Package memory is how much memory the process uses, and how much it may have.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// Interval is how often the memory is read. A loop that does nothing else fills a gigabyte in about half a second.
const Interval = 20 * time.Millisecond

// CollectAt returns the heap size at which the garbage collector spends all it can, for a process with a limit of so
// many bytes. What is in use above it is hardly garbage.
func CollectAt(limit int64) int64 { return limit / 10 * 9 }

// EndAt returns the usage at which a process ends itself, half way from CollectAt to the limit, once it is measured
// twice in a row.
func EndAt(limit int64) int64 { return limit / 20 * 19 }

// InUse returns how much of the machine's memory the process uses, as the runtime's own limit counts it.
func InUse() int64 {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return int64(all[0].Value.Uint64() - all[1].Value.Uint64())
}

// OfContainer returns the memory limit of the container that the process runs in, in bytes, from the control groups
// below root, which is "/"; 0 means no limit.
func OfContainer(root fs.FS) int64 {
	for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			continue
		}
		const unlimited = 1 << 60 // version 1 writes "no limit" as the largest number of pages
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 && n < unlimited {
			return n
		}
	}
	return 0
}

// OfMachine returns the memory of the machine in bytes, and how much of it is available, from the files below root,
// which is "/"; zeros where the system does not say.
func OfMachine(root fs.FS) (total, available int64) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(text) {
		var kib int64
		switch {
		case bytes.HasPrefix(line, []byte("MemTotal:")):
			_, _ = fmt.Sscanf(string(line), "MemTotal: %d", &kib) // 0 where it is no number
			total = kib << 10
		case bytes.HasPrefix(line, []byte("MemAvailable:")):
			_, _ = fmt.Sscanf(string(line), "MemAvailable: %d", &kib)
			available = kib << 10
		}
	}
	return total, available
}

// Exceeded is the error of a process that is about to use more than it may have.
type Exceeded struct{ Used, Limit int64 }

// Error names both in MiB.
func (e Exceeded) Error() string {
	return fmt.Sprintf("the run uses %d MiB of memory and may have %d MiB", e.Used>>20, e.Limit>>20)
}

// Watch calls end once, when the process is about to use more memory than limit, or than its container or the machine
// has where limit is 0. It returns when ctx ends. A run that is short, or small, costs nothing.
func Watch(ctx context.Context, root fs.FS, limit int64, end func(Exceeded)) {
	const small = 256 << 20
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for above := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := InUse()
		if used < small {
			continue
		}
		if limit == 0 {
			if limit = ofSystem(root); limit == 0 {
				return
			}
		}
		if above == 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 { // it is not set with GOMEMLIMIT
			debug.SetMemoryLimit(CollectAt(limit))
		}
		if above++; used < EndAt(limit) && !isScarce(root, used) {
			above = 1
		}
		if above > 2 || used >= limit {
			end(Exceeded{used, limit})
			return
		}
	}
}

// ofSystem returns what the container or the machine has; 0 where that is not known.
func ofSystem(root fs.FS) int64 {
	total, _ := OfMachine(root)
	if limit := OfContainer(root); limit > 0 && (total == 0 || limit < total) {
		return limit
	}
	return total
}

// isScarce reports whether the process uses most of what the machine had, and next to nothing is left.
func isScarce(root fs.FS, used int64) bool {
	total, available := OfMachine(root)
	return total > 0 && used > total/4 && available < total/50
}
