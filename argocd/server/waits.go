package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// waitError is what a call waited for, and for how long.
type waitError struct {
	own    time.Duration // for how long another render of the application had been worked on; 0 where none was
	apps   []string      // of the same project that were worked on
	others int           // calls of other projects that were
	waited time.Duration
	ran    time.Duration // for how long it was worked on afterwards; 0 where its turn did not come
	// its application's last render was ended, so that it has only what places such have
	suspect bool
}

func (w waitError) Error() string {
	text := fmt.Sprintf("it waited %s for %s", seconds(w.waited), w.what())
	if w.suspect {
		text += "; its last render was ended, and such applications have half of the places"
	}
	if w.ran > 0 {
		text += fmt.Sprintf(", and was then worked on for %s", seconds(w.ran))
	}
	return text
}

// what returns what it waited for.
func (w waitError) what() string {
	if w.own > 0 {
		text := "an earlier render of this application"
		if w.ran == 0 {
			text += ", which goes on after " + seconds(w.own)
		}
		return text
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
		return "its turn"
	}
	return "its turn while others were rendered: " + strings.Join(parts, ", ")
}

// seconds returns a time for people, with a digit more where it is short.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// isOwnTime reports whether a render that is over after all of a time had most of it for itself. One that spent it
// waiting for others says nothing about its own templates.
func isOwnTime(ran, all time.Duration) bool { return ran >= all/4*3 }

// queueError is the error of a call that is not taken, because so many wait.
type queueError struct{ longest int }

func (q queueError) Error() string {
	return fmt.Sprintf("%d calls wait to be rendered, and no more are taken", q.longest)
}

const queueHint = "Make the call again when fewer wait; more --parallelism renders more at once, and --max-queue lets more " +
	"of them wait."

// crowdedError is the error of a render that was ended for calls of others.
type crowdedError struct {
	after time.Duration
	again bool // it is done again
}

func (c crowdedError) Error() string {
	return fmt.Sprintf("the render was ended after %s: others waited, and renders that take long had all places",
		seconds(c.after))
}

func (c crowdedError) Unwrap() error { return workers.ErrCrowded }

const crowdedHint = "Make the call again; look for loops in its templates, or let more be rendered at once with " +
	"--parallelism."

// inTurn has work done when there is a slot for it, and returns its last turn. Work that is ended for others waits for
// another turn, as long as ctx goes on: its caller has not had its time yet.
func (s *Server) inTurn(
	ctx context.Context, call string, who caller, upload key, work func(*turn) error,
) (one *turn, err error) {
	for ran := time.Duration(0); ; ran += time.Since(one.begun) {
		if one, err = s.turn(ctx, call, who, upload, ran); err != nil {
			return one, err
		}
		err = s.turns.work(one, work)
		if ctx.Err() != nil || !one.isYielded(err) {
			return one, err
		}
		s.opts.Log.LogAttrs(ctx, slog.LevelInfo, "ended for others, and begins again", slog.String("app", who.app),
			slog.String("project", who.project), slog.Duration("after", time.Since(one.begun)))
	}
}

// turn waits for a slot, and counts for how long. The caller calls turns.leave when its work is done. ran is for how
// long it has had one before.
func (s *Server) turn(ctx context.Context, call string, who caller, upload key, ran time.Duration) (*turn, error) {
	one, err := s.turns.take(ctx, who, upload, ran)
	result := "ok"
	switch {
	case errors.As(err, new(queueError)):
		result = "refused"
	case err != nil:
		result = "overdue"
	}
	s.metrics.observe(&s.metrics.waits, [2]string{call, result}, time.Since(one.came))
	return one, err
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
	return fmt.Sprintf("%v; an equal call is rendered again in %s", p.err,
		max(p.left.Round(time.Second), time.Second))
}

func (p pausedError) Unwrap() error { return p.err }

const (
	pauseSize = 4 << 10 // about, of its error
	minPause  = 10 * time.Second
	maxPause  = 2 * time.Minute
)

// pauseAfter has equal calls wait where a render that ran so long ended its process: it would do so again. One whose
// caller went away did not end it, nor did one that had only the rest of its time, because it waited for others.
func (s *Server) pauseAfter(k key, err error, ran time.Duration) {
	if errors.As(err, new(pausedError)) {
		return
	}
	var ended *workers.Ended
	if !errors.As(err, &ended) || ended.Cause == workers.NotStarted || ended.Cause == workers.Killed {
		return
	}
	var timeout timeoutError
	if ended.Cause == workers.OutOfTime && (!errors.As(err, &timeout) || !isOwnTime(ran, timeout.after)) {
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
