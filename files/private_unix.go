//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// PrivateFolder makes a folder that only this user can use, or takes the one that is there if it is such a one: no
// link, this user's own, closed to others. Its path may be one that others can guess.
func PrivateFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Cause(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return Cause(err)
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return errors.New("it is a link or a file, not a folder")
	case !known || int(stat.Uid) != os.Geteuid():
		return errors.New("it is another user's")
	case info.Mode().Perm()&0o077 != 0:
		return errors.New("other users may use it")
	}
	return nil
}
