package workers

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// kind is the first byte of a frame.
type kind byte

// The frames. After the kind come four bytes of length, the highest first, and the payload.
const (
	// To the worker: its memory limit and the one of who starts it, in eight bytes each, and what it reads before the
	// first request.
	beginFrame    kind = 'B'
	readyFrame    kind = 'H' // from the worker: it has begun
	requestFrame  kind = 'R' // to the worker
	furtherFrame  kind = 'F' // to the worker: another one of the same lease
	includedFrame kind = 'P' // from the worker: the processes whose memory counts as its own, in eight bytes each
	begunFrame    kind = 'G' // from the worker: it has read a first request, and begins to work on it
	atFrame       kind = '@' // from the worker: the file that it evaluates next, or an empty text
	cancelFrame   kind = 'C' // to the worker: nobody waits for the answer any more
	questionFrame kind = 'Q' // from the worker, while it works on a request
	replyFrame    kind = 'A' // to the worker: the answer to its question
	responseFrame kind = 'W' // from the worker: the answer to the request, after the bytes of memory that it has
	failedFrame   kind = 'E' // from the worker: the text of an error instead
)

// errFrame is the error for bytes that are no frame, or a larger one than is read.
var errFrame = errors.New("no frame of a worker, or one that is too large")

// stream is one end of the pipes between a pool and a worker. Frames may be written from several goroutines.
type stream struct {
	in   *bufio.Reader
	most int64 // bytes of a payload that is read

	mu  sync.Mutex
	out io.Writer
	buf []byte
}

func newStream(in io.Reader, out io.Writer, most int64) *stream {
	return &stream{in: bufio.NewReaderSize(in, 64<<10), out: out, most: most}
}

// write sends a frame whose payload is the parts.
func (s *stream) write(k kind, parts ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if uint64(size) > 1<<32-1 {
		return fmt.Errorf("write %d bytes: %w", size, errFrame)
	}
	s.buf = binary.BigEndian.AppendUint32(append(s.buf[:0], byte(k)), uint32(size))
	if size <= smallFrame {
		for _, p := range parts {
			s.buf = append(s.buf, p...)
		}
		_, err := s.out.Write(s.buf)
		return err
	}
	if _, err := s.out.Write(s.buf); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := s.out.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// smallFrame is the size up to which a frame is written at once.
const smallFrame = 64 << 10

// read returns the next frame. The memory for it grows as its bytes arrive.
func (s *stream) read() (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[1:]))
	if size > s.most {
		return 0, nil, fmt.Errorf("read %d bytes: %w", size, errFrame)
	}
	payload := make([]byte, min(size, 1<<20))
	for n := 0; ; {
		more, err := io.ReadFull(s.in, payload[n:])
		if err != nil {
			return 0, nil, err
		}
		if n += more; int64(n) == size {
			return kind(head[0]), payload, nil
		}
		payload = append(payload, make([]byte, min(size-int64(n), int64(n)))...)
	}
}
