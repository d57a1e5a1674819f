package files

import "syscall"

// lookAt returns the state of what lies at a path, or of what a link there leads to.
func lookAt(path string, behindLinks bool) (s State, err error) {
	var stat syscall.Stat_t
	ask := syscall.Lstat
	if behindLinks {
		ask = syscall.Stat
	}
	for {
		if err = ask(path, &stat); err != syscall.EINTR { //nolint:errorlint // it comes from the system as it is
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
