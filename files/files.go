// Package files is where a run's files come from: the disk, and trees that are shown in folders of it, such as the one
// of a Git revision or of an archive in memory.
package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// System finds and reads files. Paths are the operating system's; a relative one starts in the working folder. Errors
// are those of package os: an *fs.PathError, which errors.Is compares with fs.ErrNotExist and its like. Nothing is
// ever written through it, and it may be used from several goroutines at once.
type System interface {
	// ReadFile returns the whole content, behind symbolic links. It is not to be changed.
	ReadFile(path string) ([]byte, error)
	// Stat describes what lies behind symbolic links.
	Stat(path string) (fs.FileInfo, error)
	// Lstat describes the link itself.
	Lstat(path string) (fs.FileInfo, error)
	// ReadDir lists a folder, sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Real returns the path with every symbolic link in it resolved, as filepath.EvalSymlinks does.
	Real(path string) (string, error)
}

// PointerHead is how a file begins that Git LFS keeps elsewhere, where its content was not fetched.
const PointerHead = "version https://git-lfs.github.com/spec/v1\n"

// gitDir marks the top of a repository.
const gitDir = ".git"

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// Disk is the machine's own files.
type Disk struct{}

var _ System = Disk{}

// ErrIrregular is the cause where a file's content may never end, or never come: what a tree names is no pipe and no
// device. What a user names may be one, and is read with Open.
var ErrIrregular = errors.New("it is a pipe or a device, and not a file")

// ReadFile is os.ReadFile, and waits for nobody.
func (Disk) ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read from
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket|fs.ModeIrregular) != 0 {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrIrregular}
	}
	text := make([]byte, 0, max(info.Size()+1, bytes.MinRead)) // one more byte than there is finds the end
	for {
		n, err := f.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

// Stat is os.Stat.
func (Disk) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Lstat is os.Lstat.
func (Disk) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// ReadDir is os.ReadDir.
func (Disk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Real is filepath.EvalSymlinks.
func (Disk) Real(path string) (string, error) { return filepath.EvalSymlinks(path) }

// Open reads a file from its start. On disk it may be a pipe, and more than fits into memory.
func Open(system System, path string) (io.ReadCloser, error) {
	if _, disk := system.(Disk); disk {
		return os.Open(path)
	}
	text, err := system.ReadFile(path)
	return io.NopCloser(bytes.NewReader(text)), err
}

// Cause takes the path out of an error of package os or a System, where the message names the path already. What is not
// there is so in the same words in a tree and on disk.
func Cause(err error) error {
	var p *fs.PathError
	switch {
	case !errors.As(err, &p):
		return err
	case errors.As(p.Err, new(LeftOut)):
	case errors.Is(p.Err, fs.ErrNotExist):
		return syscall.ENOENT
	}
	return p.Err
}

// LeftOut is the error of a file that lies where it is looked for, and that a tree of files does not have: what leaves
// it out, and why. It is an fs.ErrNotExist.
type LeftOut string

func (why LeftOut) Error() string { return "it is there, and " + string(why) }

// Is reports whether another error is fs.ErrNotExist.
func (LeftOut) Is(other error) bool { return other == fs.ErrNotExist }

// HintOf returns the next step after an error of a path that a user names: where it is not there, or "".
func HintOf(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "Paths begin in the working folder: is it the one that you mean?"
	}
	if errors.Is(err, syscall.EISDIR) {
		return "It is a folder: name the files in it."
	}
	return ""
}

// RealPath returns the absolute path in a system, or on disk where there is none, with every symbolic link in it
// resolved. Beside an error, as of what is not there, it is the path as far as it is known.
func RealPath(system System, path string) (string, error) {
	of := filepath.Abs
	if disk, ok := system.(*Unlinked); ok {
		of = disk.Abs
	}
	abs, err := of(path)
	if err != nil {
		return path, err
	}
	real, err := OrDisk(system).Real(abs)
	if err != nil {
		return abs, err
	}
	return real, nil
}

// OrDisk returns the system, or the disk where there is none.
func OrDisk(system System) System {
	if system == nil {
		return Disk{}
	}
	return system
}
