package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// outOfMemory is the error with which a server ends itself. Nothing stops a template that is being executed, and a
// server that the kernel kills cannot log which applications it was rendering.
type outOfMemory struct{ used, limit int64 }

func (o outOfMemory) Error() string {
	return fmt.Sprintf("the plugin's server uses %d MiB of memory and may have %d MiB; it ends itself, to be restarted",
		o.used>>20, o.limit>>20)
}

const outOfMemoryHint = "Its log names the applications that it rendered: look for repeat, until and loops in " +
	"their templates, and for texts and arrays that grow in their Jsonnet, or give the container more memory."

// stopGrace is the time for answering the calls that wait, while the render that fills the memory continues.
const stopGrace = 100 * time.Millisecond

// watchMemory ends the server's calls when the process is about to use more than it may have.
func (s *Server) watchMemory(ctx context.Context) {
	limit := s.opts.Memory
	if limit <= 0 {
		return
	}
	used, reached := memory.AwaitLimit(ctx, limit)
	if !reached {
		return
	}
	o := outOfMemory{used, limit}
	s.opts.Log.Error("out of memory", "used", o.used, "limit", o.limit)
	for _, one := range s.turns.all() {
		s.opts.Log.LogAttrs(ctx, slog.LevelError, "rendered while memory ended", slog.String("app", one.app),
			slog.Float64("seconds", time.Since(one.begun).Seconds()))
	}
	// A text that doubles once more takes longer to fill than all of this, and meanwhile no goroutine runs.
	memory.LimitData(limit / 8)
	s.end(o)
}
