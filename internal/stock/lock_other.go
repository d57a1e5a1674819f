//go:build !unix

package stock

import (
	"os"
	"os/exec"
)

// lock opens the file at path, and keeps nobody else from it: two processes may both build, and the last rename wins
// with the same bytes.
func lock(path string) (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644) }

// command runs the go tool, which writes bin by itself.
func command(part, bin, _ string, args ...string) *exec.Cmd {
	for i, arg := range args {
		if arg == part {
			args[i] = bin
		}
	}
	return exec.Command("go", args...)
}

// detach does nothing here: a build ends with the test.
func detach(*exec.Cmd, *os.File) {}
