//go:build unix

package fleet

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner and group of a file to those of the one that it replaces. Only root can set another owner;
// the group can be one of the user's own.
func keepOwner(path string, old fs.FileInfo) {
	had, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if os.Lchown(path, int(had.Uid), int(had.Gid)) != nil {
		_ = os.Lchown(path, -1, int(had.Gid)) // without that the file is this user's, who may write it
	}
}
