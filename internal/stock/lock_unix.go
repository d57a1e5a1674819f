//go:build unix

package stock

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// lock waits until this process alone holds the file at path. The kernel frees it when it is closed by all that hold
// it, of which a build is one.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// command runs the go tool, whose output goes to log, and renames part to bin. It needs nobody who waits for it.
func command(part, bin, log string, args ...string) *exec.Cmd {
	const script = `part=$1 bin=$2 log=$3
shift 3
trap 'rm -f "$part"' EXIT
trap 'exit 143' HUP INT TERM
go "$@" > "$log" 2>&1 && mv "$part" "$bin" && rm -f "$log"`
	return exec.Command("sh", append([]string{"-c", script, "sh", part, bin, log}, args...)...)
}

// detach lets a command go on when this process ends, with the lock, which is free when the command has ended.
func detach(cmd *exec.Cmd, held *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{held}
}
