package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// patience is how long a request waits for the next byte of its server.
const patience = 2 * time.Minute

// SilentError is the error of a server from which nothing came for some time.
type SilentError struct{ For time.Duration }

// Error implements error.
func (e *SilentError) Error() string {
	return fmt.Sprintf("nothing came from the server for %s", e.For)
}

// watch sends a request, and ends it where nothing of it or of its answer moves for some time. Whoever wants less
// gives it a context with a deadline.
func watch(by http.RoundTripper, r *http.Request, patience time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	silent := &SilentError{patience}
	w := &watched{timer: time.AfterFunc(patience, func() { cancel(silent) }), patience: patience}
	w.end = func() {
		w.timer.Stop()
		cancel(nil)
	}
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &movingBody{r.Body, w, ctx, func() {}}
	}
	res, err := by.RoundTrip(r)
	if err != nil {
		w.end()
		return nil, causeOf(ctx, err)
	}
	w.moves()
	res.Body = &movingBody{res.Body, w, ctx, w.end}
	return res, nil
}

// causeOf returns the silence that ended a request, else its error.
func causeOf(ctx context.Context, err error) error {
	var silent *SilentError
	if err != nil && errors.As(context.Cause(ctx), &silent) {
		return silent
	}
	return err
}

// watched is a request whose time is counted from the last byte that moved.
type watched struct {
	timer    *time.Timer
	patience time.Duration
	end      func()
}

func (w *watched) moves() { w.timer.Reset(w.patience) }

// movingBody is what is sent or received.
type movingBody struct {
	io.ReadCloser
	of      *watched
	ctx     context.Context
	onClose func()
}

// Read reads, and notes that something moved.
func (b *movingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.of.moves()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}
	return n, err
}

// Close closes what is read.
func (b *movingBody) Close() error {
	defer b.onClose()
	return b.ReadCloser.Close()
}
