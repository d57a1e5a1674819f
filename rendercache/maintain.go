package rendercache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Stats are what a folder holds.
type Stats struct {
	Entries, Sealed int       // Sealed are those that are encrypted
	Bytes           int64     // of all
	Oldest          time.Time // use of an entry
}

// ErrNoCache is that a folder holds something, and no cache.
var ErrNoCache = errors.New("no cache of renders")

// folderAt returns the folder of a cache, which has to be there. It may be empty, as before the first run.
func folderAt(dir string) (*folder, error) {
	entries, err := os.ReadDir(dir)
	isCache := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == layout })
	if err == nil && len(entries) > 0 && !isCache {
		err = ErrNoCache
	}
	return &folder{dir: filepath.Join(dir, layout), limit: DefaultLimit}, err
}

// entriesOf calls visit with each entry of a cache, which has to be there.
func entriesOf(dir string, visit func(*folder, stored) error) error {
	f, err := folderAt(dir)
	if err != nil {
		return err
	}
	return f.each(func(e stored) error { return visit(f, e) }, func(string) {})
}

// StatsOf returns what the cache in a folder holds. When an entry was last used is known to an hour.
func StatsOf(dir string) (s Stats, err error) {
	err = entriesOf(dir, func(_ *folder, e stored) error {
		s.Entries++
		s.Bytes += e.size
		if s.Oldest.IsZero() || e.used.Before(s.Oldest) {
			s.Oldest = e.used
		}
		return nil
	})
	return s, err
}

// Prune removes, where the cache in a folder has more than so many bytes, the entries that were not used for the
// longest time, and returns how many these were.
func Prune(dir string, most int64) (removed int, freed int64, err error) {
	f, err := folderAt(dir)
	if err != nil {
		return 0, 0, err
	}
	all, err := f.prune(most)
	return all.entries, all.bytes, err
}

// Verify reads every entry of the cache in a folder, and returns the paths of those that are damaged. Of encrypted ones
// only the beginning is looked at: a run with their key checks them when it reads them.
func Verify(dir string) (s Stats, damaged []string, err error) {
	err = entriesOf(dir, func(f *folder, e stored) error {
		text, err := f.read(e.name)
		if text == nil && err == nil {
			return nil // it was removed meanwhile
		}
		s.Entries++
		s.Bytes += e.size
		if bytes.HasPrefix(text, []byte(sealed)) {
			s.Sealed++
			return nil
		}
		if err == nil {
			_, err = openPlain(e.name, text)
		}
		if err != nil {
			damaged = append(damaged, e.path)
		}
		return nil
	})
	return s, damaged, err
}
