package rendercache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Stats are what a folder holds.
type Stats struct {
	Entries, Sealed int       // Sealed are those that are encrypted
	Bytes           int64     // of all
	Oldest          time.Time // use of an entry
}

// entriesOf returns the entries of a cache, which has to be there.
func entriesOf(dir string) (*folder, []stored, error) {
	f := &folder{dir: filepath.Join(dir, layout), limit: DefaultLimit}
	if _, err := os.Lstat(dir); err != nil {
		return nil, nil, err
	}
	all, _, err := f.all()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return f, all, err
}

// StatsOf returns what the cache in a folder holds. When an entry was last used is known to an hour.
func StatsOf(dir string) (s Stats, err error) {
	_, all, err := entriesOf(dir)
	for _, e := range all {
		s.Entries++
		s.Bytes += e.size
		if s.Oldest.IsZero() || e.used.Before(s.Oldest) {
			s.Oldest = e.used
		}
	}
	return s, err
}

// Prune removes, where the cache in a folder has more than so many bytes, the entries that were not used for the
// longest time, and returns how many these were.
func Prune(dir string, most int64) (removed int, freed int64, err error) {
	f, _, err := entriesOf(dir)
	if err != nil {
		return 0, 0, err
	}
	all, err := f.prune(most)
	for _, e := range all {
		freed += e.size
	}
	return len(all), freed, err
}

// Verify reads every entry of the cache in a folder, and returns the paths of those that are damaged. Of encrypted ones
// only the beginning is looked at: a run with their key checks them when it reads them.
func Verify(dir string) (s Stats, damaged []string, err error) {
	f, all, err := entriesOf(dir)
	if err != nil {
		return s, nil, err
	}
	for _, e := range all {
		text, err := f.read(e.name)
		if text == nil && err == nil {
			continue // it was removed meanwhile
		}
		s.Entries++
		s.Bytes += e.size
		if bytes.HasPrefix(text, []byte(sealed)) {
			s.Sealed++
			continue
		}
		if err == nil {
			_, err = openPlain(e.name, text)
		}
		if err != nil {
			damaged = append(damaged, e.path)
		}
	}
	return s, damaged, nil
}
