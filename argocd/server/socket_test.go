package server_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/server"
)

func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "p.sock")
}

func TestASocketThatNobodyAnswersOnIsReplaced(t *testing.T) {
	path := socketPath(t)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false) // as a process that was killed
	_ = left.Close()
	s, err := server.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if _, err := server.Listen(path); err == nil {
		t.Error("a second server took a socket that is in use")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestASocketThatIsNotOursAnyMoreIsLeftAlone(t *testing.T) {
	path := socketPath(t)
	old, err := server.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	successor, err := server.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer successor.Close()
	_ = old.Close()
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the successor's socket is gone: %v", err)
	}
}

func TestASocketsPlaceIsNotTakenFromOthers(t *testing.T) {
	path := socketPath(t)
	target := path + ".target"
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() error{
		"a file":   func() error { return os.WriteFile(path, nil, 0o600) },
		"a link":   func() error { return os.Symlink(target, path) },
		"a folder": func() error { return os.Mkdir(path, 0o700) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Listen(path); err == nil {
			t.Errorf("%s was taken for a socket", name)
		}
		if err := os.Remove(path); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}
