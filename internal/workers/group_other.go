//go:build !unix

package workers

import "os/exec"

// asGroup does nothing: there are no groups of processes.
func asGroup(*exec.Cmd) {}

// endGroup does nothing.
func endGroup(int) {}
