//go:build unix

package workers

import (
	"os"
	"syscall"
)

// Inherit returns a file that this process was started with. What it starts in turn does not get it: a program that
// goes on would hold it open, and whoever reads its other end would wait for that.
func Inherit(fd uintptr, name string) *os.File {
	syscall.CloseOnExec(int(fd))
	return os.NewFile(fd, name)
}
