package server

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	gometrics "runtime/metrics"
	"strconv"
	"time"
)

// outOfMemory is the error with which a server ends itself. Nothing stops a template that is being executed, and a
// server that the kernel kills cannot log which applications it was rendering.
type outOfMemory struct{ used, limit int64 }

func (o outOfMemory) Error() string {
	return fmt.Sprintf("the plugin's server uses %d MiB of memory and may have %d MiB; it ends itself, to be restarted",
		o.used>>20, o.limit>>20)
}

const outOfMemoryHint = "Its log names the applications that it rendered: look for repeat, until and loops in " +
	"their templates, or give the container more memory."

const (
	// memoryInterval is how often the memory is read. A loop that does nothing else fills a gigabyte in about half a
	// second.
	memoryInterval = 20 * time.Millisecond
	// stopGrace is the time for answering the calls that wait, while the render that fills the memory continues.
	stopGrace = 100 * time.Millisecond
)

// CollectAt returns the heap size at which the garbage collector spends all it can, for a process with a limit of so
// many bytes. What is in use above it is hardly garbage.
func CollectAt(limit int64) int64 { return limit / 10 * 9 }

// endAt returns the usage at which the server ends itself, half way from CollectAt to the limit, once it is measured
// twice in a row.
func endAt(limit int64) int64 { return limit / 20 * 19 }

// watchMemory ends the server's calls when the process is about to use more than it may have.
func (s *Server) watchMemory(ctx context.Context) {
	limit := s.opts.Memory
	if limit <= 0 {
		return
	}
	tick := time.NewTicker(memoryInterval)
	defer tick.Stop()
	for above := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := memoryInUse()
		if above++; used < endAt(limit) {
			above = 0
		}
		if above < 2 && used < limit {
			continue
		}
		o := outOfMemory{used, limit}
		s.opts.Log.Error("out of memory", "used", o.used, "limit", o.limit)
		for _, one := range s.turns.all() {
			s.opts.Log.LogAttrs(ctx, slog.LevelError, "rendered while memory ended", slog.String("app", one.app),
				slog.Float64("seconds", time.Since(one.begun).Seconds()))
		}
		s.end(o)
		return
	}
}

// memoryInUse returns how much of the machine's memory the process uses, as the runtime's own limit counts it.
func memoryInUse() int64 {
	all := []gometrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	gometrics.Read(all)
	return int64(all[0].Value.Uint64() - all[1].Value.Uint64())
}

// ContainerMemory returns the memory limit of the container that the process runs in, in bytes, from the control
// groups below root, which is "/"; 0 means no limit.
func ContainerMemory(root fs.FS) int64 {
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
