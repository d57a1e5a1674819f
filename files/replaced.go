package files

import (
	"io/fs"
	"path/filepath"
)

// Replaced shows the files of another system, some of them with another content. Which files there are does not change.
type Replaced struct {
	System   System            // nil is the disk
	Contents map[string][]byte // by absolute path, without links
}

var _ System = Replaced{}

// ReadFile returns the content that replaces the file's, or the file's own.
func (r Replaced) ReadFile(path string) ([]byte, error) {
	if text, ok := r.content(path); ok {
		return text, nil
	}
	return OrDisk(r.System).ReadFile(path)
}

// Stat describes the file with its new size.
func (r Replaced) Stat(path string) (fs.FileInfo, error) {
	return r.resized(path)(OrDisk(r.System).Stat(path))
}

// Lstat describes the file with its new size, or the link.
func (r Replaced) Lstat(path string) (fs.FileInfo, error) {
	return r.resized(path)(OrDisk(r.System).Lstat(path))
}

// ReadDir lists a folder of the other system.
func (r Replaced) ReadDir(path string) ([]fs.DirEntry, error) { return OrDisk(r.System).ReadDir(path) }

// Real resolves links as the other system does.
func (r Replaced) Real(path string) (string, error) { return OrDisk(r.System).Real(path) }

// content returns what replaces the content of the file at a path, which may lead through links.
func (r Replaced) content(path string) ([]byte, bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, false
	}
	if text, ok := r.Contents[abs]; ok {
		return text, true
	}
	real, err := r.Real(abs)
	if err != nil {
		return nil, false
	}
	text, ok := r.Contents[real]
	return text, ok
}

func (r Replaced) resized(path string) func(fs.FileInfo, error) (fs.FileInfo, error) {
	return func(info fs.FileInfo, err error) (fs.FileInfo, error) {
		if err != nil || !info.Mode().IsRegular() {
			return info, err
		}
		if text, ok := r.content(path); ok {
			return resized{info, int64(len(text))}, nil
		}
		return info, nil
	}
}

// resized is a file with the size of another content.
type resized struct {
	fs.FileInfo
	size int64
}

// Size is how many bytes the content has.
func (r resized) Size() int64 { return r.size }
