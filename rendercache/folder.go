package rendercache

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// layout is the folder of the entries in that of the cache: another format has another one.
const layout = "v1"

// Times of entries. How long a file may be there that no process has given its name yet, and how far the time of an
// entry's last use may be behind, which spares most uses the writing of it.
const (
	abandoned  = time.Hour
	resolution = time.Hour
)

// folder holds entries as files, each below the first two letters of its name.
type folder struct {
	dir   string
	limit int64
}

// most returns the bytes that an entry may have, of which a folder holds some.
func (f *folder) most() int64 { return f.limit / 16 }

func (f *folder) bound() error {
	_, err := f.prune(f.limit)
	return err
}

func (f *folder) path(n Name) string {
	name := hex.EncodeToString(n[:])
	return filepath.Join(f.dir, name[:2], name[2:])
}

// read returns the bytes of an entry, nil where there is none.
func (f *folder) read(n Name) ([]byte, error) {
	path := f.path(n)
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > f.limit {
		return nil, errors.Join(err, errNotWhole)
	}
	text := make([]byte, info.Size())
	for at := 0; at < len(text); {
		n, err := file.Read(text[at:])
		if at += n; err != nil {
			return nil, errNotWhole
		}
	}
	if now := time.Now(); now.Sub(info.ModTime()) > resolution {
		_ = os.Chtimes(path, now, now) // else it is removed earlier
	}
	return text, nil
}

// write writes an entry whole or not at all. What is being written lies beside it: file systems place the files of one
// folder side by side, and search longer where these are all entries.
func (f *folder) write(n Name, parts ...[]byte) (err error) {
	path := f.path(n)
	temp, err := os.CreateTemp(filepath.Dir(path), temporary)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Mkdir(filepath.Dir(path), 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			temp, err = os.CreateTemp(filepath.Dir(path), temporary)
		}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	for _, part := range parts {
		if _, err = temp.Write(part); err != nil {
			break
		}
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err = os.Rename(temp.Name(), path); err != nil && isFolder(path) {
		if err = os.RemoveAll(path); err == nil {
			err = os.Rename(temp.Name(), path)
		}
	}
	return err
}

// isFolder reports whether a folder lies at a path where only entries do, and which no rename replaces.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// temporary begins the names of files that are being written.
const temporary = ".new-"

// isWithoutSpace reports whether an error is that nothing can be written.
func isWithoutSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT)
}

// stored is an entry in the folder.
type stored struct {
	name Name
	path string
	size int64
	used time.Time
}

// each calls visit with every entry, and abandon with every file that nobody completed. What other processes remove
// meanwhile is not there.
func (f *folder) each(visit func(stored) error, abandon func(path string)) error {
	return filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		if strings.HasPrefix(d.Name(), temporary) && info.Mode().IsRegular() {
			if time.Since(info.ModTime()) > abandoned {
				abandon(path)
			}
			return nil
		}
		one := stored{path: path, size: info.Size(), used: info.ModTime()}
		if !info.Mode().IsRegular() {
			one.size = 0 // it holds nothing that was written here
		}
		name, err := hex.DecodeString(filepath.Base(filepath.Dir(path)) + d.Name())
		if err != nil || len(name) != len(one.name) {
			return nil //nolint:nilerr // it is nobody's entry
		}
		one.name = Name(name)
		return visit(one)
	})
}

// pruned is how many entries were removed.
type pruned struct {
	entries int
	bytes   int64
}

// prune removes, where there are more bytes than a number, the entries that were not used for the longest time, and a
// tenth more: else the next one that is written had to do so again. Of all entries it retains only how many bytes were
// last used in which minute, as a process that renders may have little memory.
func (f *folder) prune(most int64) (removed pruned, err error) {
	size, used := int64(0), map[int64]int64{}
	err = f.each(func(e stored) error {
		size += e.size
		used[minuteOf(e)] += e.size
		return nil
	}, func(path string) { _ = os.Remove(path) }) // else another process was faster
	if err != nil || size <= most {
		return removed, err
	}
	excess, last := size-most+most/10, int64(0)
	sum := int64(0)
	for _, last = range slices.Sorted(maps.Keys(used)) {
		if sum += used[last]; sum >= excess {
			break
		}
	}
	err = f.each(func(e stored) error {
		if minuteOf(e) > last || minuteOf(e) == last && removed.bytes >= excess {
			return nil
		}
		if err := os.RemoveAll(e.path); err != nil { // a folder in place of one may hold something
			return err
		}
		removed.entries++
		removed.bytes += e.size
		return nil
	}, func(string) {})
	return removed, err
}

// minuteOf returns the minute of an entry's last use.
func minuteOf(e stored) int64 { return e.used.Unix() / 60 }
