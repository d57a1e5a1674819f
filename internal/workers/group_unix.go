//go:build unix

package workers

import (
	"os/exec"
	"syscall"
)

// asGroup has the process start a group of its own: what it starts ends with it, and a signal for the terminal's group
// is for the pool's process, which lets its workers finish.
func asGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends what a worker that has ended leaves behind. In a container such processes become children of the first
// one, which may be this one, and would stay as zombies.
func endGroup(id int) {
	if syscall.Kill(-id, syscall.SIGKILL) != nil {
		return // nothing is left
	}
	for {
		if _, err := syscall.Wait4(-id, nil, 0, nil); err != nil && err != syscall.EINTR {
			return // they are children of another process
		}
	}
}
