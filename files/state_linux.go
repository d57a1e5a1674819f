package files

import "syscall"

// lookAt returns the state of what lies at a path, or of what a link there leads to.
func lookAt(path string, behindLinks bool) (s State, err error) {
	var stat syscall.Stat_t // on the stack, as long as no function in a variable is called with it
	for {
		if behindLinks {
			err = syscall.Stat(path, &stat)
		} else {
			err = syscall.Lstat(path, &stat)
		}
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return State{}, err
	}
	return State{Device: stat.Dev, Inode: stat.Ino, Mode: stat.Mode, Size: stat.Size,
		Written: stat.Mtim.Nano(), Changed: stat.Ctim.Nano()}, nil
}

func (s State) isLink() bool   { return s.Mode&syscall.S_IFMT == syscall.S_IFLNK }
func (s State) isFile() bool   { return s.Mode&syscall.S_IFMT == syscall.S_IFREG }
func (s State) isFolder() bool { return s.Mode&syscall.S_IFMT == syscall.S_IFDIR }
