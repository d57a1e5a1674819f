//go:build !unix

package workers

import "os"

// Inherit returns a file that this process was started with.
func Inherit(fd uintptr, name string) *os.File { return os.NewFile(fd, name) }
