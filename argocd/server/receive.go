package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"google.golang.org/grpc"

	"github.com/rollstamp/rollstamp/files"
)

// upload is a completely received stream.
type upload struct {
	*metadata
	dir     string // the application's folder in the archive, "." for its top
	archive []byte
	sum     [sha256.Size]byte // of the archive, checked
	release func()            // returns the archive's memory to the limit
}

// receive reads a stream of the contract: metadata, then an archive. The caller releases the result. It ends when ctx
// does, although the stream only ends with the call, so that a client that stops sending occupies no memory.
func (s *Server) receive(ctx context.Context, stream grpc.ServerStream) (*upload, error) {
	type taken struct {
		u   *upload
		err error
	}
	done := make(chan taken, 1)
	go func() {
		u, err := s.take(ctx, stream)
		done <- taken{u, err}
	}()
	select {
	case t := <-done:
		return t.u, t.err
	case <-ctx.Done():
	}
	go func() {
		if t := <-done; t.err == nil {
			t.u.release()
		}
	}()
	return nil, context.Cause(ctx)
}

func (s *Server) take(ctx context.Context, stream grpc.ServerStream) (*upload, error) {
	var f frame
	meta, err := next(stream, &f)
	if err != nil {
		return nil, err
	}
	u := &upload{metadata: meta}
	if u.dir, err = relative(meta.appRelPath); err != nil {
		return nil, err
	}
	size := meta.size
	if size < 0 || size > s.opts.Limits.Archive {
		return nil, fmt.Errorf("%w: %d bytes packed, where %d are allowed", files.ErrTooLarge, size,
			s.opts.Limits.Archive)
	}
	if err := s.waiting.Acquire(ctx, size); err != nil {
		return nil, fmt.Errorf("wait for memory: %w", err)
	}
	u.release = sync.OnceFunc(func() { s.waiting.Release(size) })
	if err := u.read(stream, &f); err != nil {
		u.release()
		return nil, err
	}
	return u, nil
}

// next reads the first message of a stream.
func next(stream grpc.ServerStream, f *frame) (*metadata, error) {
	if err := stream.RecvMsg(f); err != nil {
		return nil, fmt.Errorf("receive metadata: %w", err)
	}
	meta, _, err := readRequest(f.b)
	if err == nil && meta == nil {
		err = errMessage
	}
	if err != nil {
		return nil, fmt.Errorf("receive metadata: %w", err)
	}
	return meta, nil
}

// read receives the archive and checks it against the metadata.
func (u *upload) read(stream grpc.ServerStream, f *frame) error {
	u.archive = make([]byte, 0, u.size)
	for {
		if err := stream.RecvMsg(f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("receive the archive: %w", err)
		}
		meta, chunk, err := readRequest(f.b)
		if err == nil && (meta != nil || chunk == nil) {
			err = errMessage
		}
		if err != nil {
			return fmt.Errorf("receive the archive: %w", err)
		}
		if int64(len(u.archive)+len(chunk)) > u.size {
			return errors.New("receive the archive: it is larger than its metadata states")
		}
		u.archive = append(u.archive, chunk...)
	}
	u.sum = sha256.Sum256(u.archive)
	if hex.EncodeToString(u.sum[:]) != u.checksum {
		return errors.New("receive the archive: its checksum does not match")
	}
	return nil
}

// relative checks the application's path.
func relative(appRelPath string) (string, error) {
	dir := path.Clean(appRelPath)
	if !fs.ValidPath(dir) || strings.ContainsRune(dir, 0) {
		return "", errors.New("the application's path leads out of its repository")
	}
	return dir, nil
}
