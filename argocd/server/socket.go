package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Socket is a Unix socket that is removed when it is closed, if it is still ours.
type Socket struct {
	*net.UnixListener
	path string
	info fs.FileInfo
}

// Listen opens a socket that only our own user can connect to, which is the user of the repository server too. A
// socket that a process left behind is replaced; one that still answers, and any other file, is an error.
func Listen(path string) (*Socket, error) {
	if err := removeStale(path); err != nil {
		return nil, diag.Usage(fmt.Errorf("listen on %s: %w", path, err), "")
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("listen on %s: %w", path, cause(err)),
			"The folder must be there and be writable for our user.")
	}
	l.SetUnlinkOnClose(false)
	s := &Socket{UnixListener: l, path: path}
	if err = os.Chmod(path, 0o600); err == nil {
		s.info, err = os.Lstat(path)
	}
	if err != nil {
		_ = l.Close()
		return nil, diag.Usage(fmt.Errorf("listen on %s: %w", path, cause(err)), "")
	}
	return s, nil
}

// removeStale removes a socket that no process listens on.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return cause(err)
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("there is something that is no socket")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return errors.New("another process answers there")
	}
	return os.Remove(path)
}

// Close closes the socket and removes its file, unless another process has replaced it.
func (s *Socket) Close() error {
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.info) {
		_ = os.Remove(s.path)
	}
	return s.UnixListener.Close()
}

// cause drops the path that the operating system's error repeats.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		return sys.Err
	}
	return files.Cause(err)
}
