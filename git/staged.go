package git

import (
	"io/fs"
	"os"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// staged is what the index knows of files.
type staged struct {
	at      fs.FileInfo             // of the index; nil for none
	entries map[string]*index.Entry // by path
}

// readStaged reads an index. There is none in the forms that are not known here.
func readStaged(name string) staged {
	out := staged{entries: map[string]*index.Entry{}}
	f, err := os.Open(name)
	if err != nil {
		return out
	}
	defer func() { _ = f.Close() }() // it was only read from
	var all index.Index
	info, err := f.Stat()
	if err != nil || index.NewDecoder(f).Decode(&all) != nil {
		return out
	}
	out.at = info
	for _, e := range all.Entries {
		out.entries[e.Name] = e
	}
	return out
}

// isFresh reports whether a file is as it was when the index was written. One that was written at the same moment as
// the index may have changed after it.
func (s staged) isFresh(e *index.Entry, file string) bool {
	info, err := os.Lstat(file)
	return err == nil && e != nil && info.ModTime().Equal(e.ModifiedAt) &&
		uint32(info.Size()) == e.Size && info.ModTime().Before(s.at.ModTime()) //nolint:gosec // the index has 32 bits
}
