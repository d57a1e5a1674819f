// Package memory is how much memory the process uses, and how much it may have.
package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"runtime/metrics"
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

// InUse returns how much of the machine's memory the process uses, as the runtime's own limit counts it, with what
// others use that Include names.
func InUse() int64 { return own() + ofOthers() }

func own() int64 {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return int64(all[0].Value.Uint64() - all[1].Value.Uint64())
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
