package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// waitError is what a call waited for until its time was over.
type waitError struct {
	own    time.Duration // for how long another render of the application has been worked on; 0 where none is
	apps   []string      // of the same project that are worked on
	others int           // calls of other projects that are
}

func (w waitError) Error() string {
	if w.own > 0 {
		return fmt.Sprintf("it waited for an earlier render of this application, which goes on after %s",
			w.own.Round(time.Second))
	}
	var parts []string
	if len(w.apps) > 0 {
		const most = 3
		names := strings.Join(w.apps[:min(most, len(w.apps))], ", ")
		if more := len(w.apps) - most; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, names+" of its project")
	}
	if w.others > 0 {
		parts = append(parts, fmt.Sprintf("%d of other projects", w.others))
	}
	if len(parts) == 0 {
		return "it waited for its turn"
	}
	return "it waited for its turn while others were rendered: " + strings.Join(parts, ", ")
}

// queueError is the error of a call that is not taken, because so many wait.
type queueError struct{ longest int }

func (q queueError) Error() string {
	return fmt.Sprintf("%d calls wait to be rendered, and no more are taken", q.longest)
}

const queueHint = "Make the call again when fewer wait; more --parallelism renders more at once, and --max-queue lets more " +
	"of them wait."

// turn waits for a slot, and counts for how long. The caller calls leave when its work is done.
func (s *Server) turn(ctx context.Context, call string, who caller) (leave func(), err error) {
	begun := time.Now()
	leave, err = s.turns.take(ctx, who)
	result := "ok"
	switch {
	case errors.As(err, new(queueError)):
		result = "refused"
	case err != nil:
		result = "overdue"
	}
	s.metrics.observe(&s.metrics.waits, [2]string{call, result}, time.Since(begun))
	return leave, err
}

// pause is the time in which an equal call is not rendered again.
type pause struct {
	until time.Time
	err   error
}

// pausedError is the error of a call that is equal to one which ended the process that rendered it.
type pausedError struct {
	left time.Duration
	err  error
}

func (p pausedError) Error() string {
	return fmt.Sprintf("%v; an equal call is rendered again in %s", p.err, p.left.Round(time.Second))
}

func (p pausedError) Unwrap() error { return p.err }

const (
	pauseSize = 4 << 10 // about, of its error
	minPause  = 10 * time.Second
	maxPause  = 2 * time.Minute
)

// pauseAfter has equal calls wait where a render ended its process: it would do so again. One that ended because its
// caller went away did not.
func (s *Server) pauseAfter(k key, err error) {
	var ended *workers.Ended
	if !errors.As(err, &ended) || ended.Cause == workers.NotStarted || ended.Cause == workers.Killed {
		return
	}
	if ended.Cause == workers.OutOfTime && !errors.As(err, new(timeoutError)) {
		return
	}
	length := min(max(minPause, 2*ended.After), maxPause)
	s.pauses.put(k, pause{time.Now().Add(length), err})
}

// paused returns the error of a call that is not rendered again yet, or nil.
func (s *Server) paused(k key) error {
	p, ok := s.pauses.get(k)
	if left := time.Until(p.until); ok && left > 0 {
		return &diag.Error{Exit: diag.ExitSource, Err: pausedError{left, p.err}, Hint: diag.HintOf(p.err)}
	}
	return nil
}
