package workers

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"sync"

	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/memory"
)

// Handler answers one request. What it wants to know meanwhile, it asks the host.
type Handler func(ctx context.Context, request []byte, host Host) ([]byte, error)

// Host answers questions of a worker. It is for several goroutines.
type Host interface {
	Ask(question []byte) ([]byte, error)
	// At says which file is evaluated next, which may end the worker; "" says that this is over.
	At(file string)
}

// Serve is the worker's side: it calls start with what the pool sends first, and answers requests with what that
// returns, one at a time, until in ends. It returns although a request may be worked on: the process is to end then.
func Serve(ctx context.Context, in io.Reader, out io.Writer, start func(first []byte) (Handler, error)) error {
	w := &served{stream: newStream(in, out, 1<<32-1), replies: make(chan []byte)}
	k, payload, err := w.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil || k != beginFrame || len(payload) < 2*sizeOfNumber:
		return fmt.Errorf("begin as a worker: %w", errors.Join(errFrame, err))
	}
	self.Store(w)
	limit, shared := int64(binary.BigEndian.Uint64(payload)), int64(binary.BigEndian.Uint64(payload[sizeOfNumber:]))
	if w.handler, err = start(payload[2*sizeOfNumber:]); err != nil {
		return errors.Join(err, w.write(failedFrame, []byte(err.Error())))
	}
	if limit > 0 {
		limitMemory(ctx, limit)
	} else {
		limitNested(shared)
	}
	if err := w.write(readyFrame); err != nil {
		return err
	}
	return w.listen(ctx)
}

// sizeOfNumber is the size of a number in a payload.
const sizeOfNumber = 8

// served is a worker that serves.
type served struct {
	*stream
	handler Handler
	replies chan []byte // to the question that is open
}

// listen reads what comes from the pool. Requests are worked on meanwhile, so that the end of the pool is seen.
func (w *served) listen(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	stop := func() {}
	for {
		k, payload, err := w.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch k {
		case requestFrame, furtherFrame:
			if k == requestFrame {
				if err := w.write(begunFrame); err != nil {
					return err
				}
			}
			one, cancel := context.WithCancel(ctx)
			stop = cancel
			go func() {
				defer cancel()
				w.answer(one, payload)
			}()
		case cancelFrame:
			stop()
		case replyFrame:
			w.replies <- payload
		}
	}
}

// answer works on a request and writes what comes of it. Where nobody reads that, the process is about to end.
func (w *served) answer(ctx context.Context, payload []byte) {
	out, err := w.handle(ctx, payload)
	if err != nil {
		_ = w.write(failedFrame, []byte(err.Error()))
		return
	}
	_ = w.write(responseFrame, binary.BigEndian.AppendUint64(nil, mapped()), out)
}

func (w *served) handle(ctx context.Context, payload []byte) (out []byte, err error) {
	defer fault.Catch(&err)
	h := &host{served: w}
	defer h.close()
	return w.handler(ctx, payload, h)
}

// host is the pool's side during one request.
type host struct {
	*served
	mu   sync.Mutex
	over bool
}

// errOver is the error of a question that comes after the answer.
var errOver = errors.New("ask the host: the request is answered")

// Ask asks, and waits for the reply.
func (h *host) Ask(question []byte) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return nil, errOver
	}
	if err := h.write(questionFrame, question); err != nil {
		return nil, fmt.Errorf("ask the host: %w", err)
	}
	return <-h.replies, nil
}

// At reports a file, which an Ended has where the worker ends.
func (h *host) At(file string) { _ = h.write(atFrame, []byte(file)) } // where nobody reads it, the process is to end

// close refuses further questions: what goes on after a request would ask about the next one.
func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

// mapped returns how much memory the process has taken from the system, what it has given back among it, with what
// others use that count as this one.
func mapped() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	sum := sample[0].Value.Uint64()
	for _, pid := range memory.Included() {
		sum += uint64(memory.Of(pid))
	}
	return sum
}
