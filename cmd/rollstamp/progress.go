package main

import (
	"fmt"
	"io"
	"time"

	"github.com/rollstamp/rollstamp/fleet"
)

// progress returns a line on a terminal that counts applications, where there is more than one; nil where there is no
// terminal.
func (p *program) progress() fleet.Progress {
	if !terminal(p.err) {
		return nil
	}
	return (&progressLine{w: p.err, now: time.Now}).show
}

// progressLine is a line on a terminal that says how far a run is, and how long it still takes.
type progressLine struct {
	w           io.Writer
	now         func() time.Time
	began, last time.Time
}

// How often the line is written at most, and after what time an estimate is worth something.
const (
	progressEach  = 100 * time.Millisecond
	progressKnown = 2 * time.Second
)

// show is called when one more of all is done, one call after the other.
func (l *progressLine) show(done, total int) {
	now := l.now()
	if l.began.IsZero() {
		l.began = now
	}
	switch {
	case total <= 1:
	case done == total:
		fmt.Fprint(l.w, "\r\x1b[K")
		l.began, l.last = time.Time{}, time.Time{} // others may follow
	case now.Sub(l.last) >= progressEach:
		l.last = now
		fmt.Fprintf(l.w, "\rrendered %d of %d%s\x1b[K", done, total, l.estimate(now.Sub(l.began), done, total))
	}
}

// estimate returns how long the rest takes if it takes as long as what is done, in words.
func (l *progressLine) estimate(took time.Duration, done, total int) string {
	if took < progressKnown || done < 2 {
		return ""
	}
	// The clock began when the first was done.
	left := time.Duration(float64(took) / float64(done-1) * float64(total-done))
	if left < time.Minute {
		return fmt.Sprintf(", about %d s left", max(1, int(left.Round(time.Second).Seconds())))
	}
	return fmt.Sprintf(", about %d min left", int((left + time.Minute - 1).Minutes()))
}
