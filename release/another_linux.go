package main

import (
	"os"
	"os/exec"
	"syscall"
)

// anotherUser is the user that a second build runs as.
const anotherUser = 1234

// startAsAnother starts a command with another file mask, and as another user, who may read what the caller may.
// Where there are no user namespaces, only the mask is another.
func startAsAnother(cmd *exec.Cmd) error {
	defer syscall.Umask(syscall.Umask(0o077))
	own := *cmd
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: anotherUser, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: anotherUser, HostID: os.Getegid(), Size: 1}},
	}
	if err := cmd.Start(); err == nil {
		return nil
	}
	*cmd = own
	return cmd.Start()
}
