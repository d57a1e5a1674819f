//go:build !linux

package main

import "os/exec"

// startOnOne starts a process, which may run on all processors: it is kept to one on Linux only.
func startOnOne(cmd *exec.Cmd) error { return cmd.Start() }
