package git

import (
	"crypto/sha1" //nolint:gosec // what Git names folders by
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/rollstamp/rollstamp/files"
)

// staged is what the index knows of files.
type staged struct {
	at      fs.FileInfo             // of the index; nil for none
	entries map[string]*index.Entry // by path
	sorted  []*index.Entry          // by path
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
	out.at, out.sorted = info, all.Entries
	for _, e := range all.Entries {
		out.entries[e.Name] = e
	}
	return out
}

// below returns the file of a name, or those of a folder of that name, in their order; "." is the top.
func (s staged) below(name string) []*index.Entry {
	if e := s.entries[name]; e != nil {
		return []*index.Entry{e}
	}
	all := s.from(prefixOf(name))
	for i, e := range all {
		if !strings.HasPrefix(e.Name, prefixOf(name)) {
			return all[:i]
		}
	}
	return all
}

// from returns the files from a name on, in their order.
func (s staged) from(name string) []*index.Entry {
	first, _ := slices.BinarySearchFunc(s.sorted, name, func(e *index.Entry, to string) int {
		return strings.Compare(e.Name, to)
	})
	return s.sorted[first:]
}

// prefixOf returns what the names of all begin with that lies in a folder.
func prefixOf(folder string) string {
	if folder == "." {
		return ""
	}
	return folder + "/"
}

// stagedFolder is a folder as the index has it.
type stagedFolder struct {
	hash    plumbing.Hash // by which Git calls it
	entries []stagedEntry // sorted by name
}

// stagedEntry is what lies in one.
type stagedEntry struct {
	name  string
	file  *index.Entry // nil for a folder
	below stagedFolder
}

// folder returns the folder at a name; false where the index has none, or not only files of which it is clear what a
// commit would hold.
func (s staged) folder(name string) (stagedFolder, bool) {
	rest := s.from(prefixOf(name))
	out, ok := takeFolder(&rest, prefixOf(name))
	return out, ok && len(out.entries) > 0
}

// takeFolder takes the entries that begin with the name of a folder and a slash from the first ones of a list.
func takeFolder(rest *[]*index.Entry, prefix string) (out stagedFolder, ok bool) {
	var tree []byte
	for len(*rest) > 0 && strings.HasPrefix((*rest)[0].Name, prefix) {
		e := (*rest)[0]
		name, _, isIn := strings.Cut(e.Name[len(prefix):], "/")
		one, m, hash := stagedEntry{name: name, file: e}, fileMode, e.Hash
		switch {
		case isIn:
			one.file = nil
			if one.below, ok = takeFolder(rest, prefix+name+"/"); !ok {
				return out, false
			}
			m, hash = dirMode, one.below.hash
		case e.Stage != 0, e.IntentToAdd, e.Mode != filemode.Regular && e.Mode != filemode.Executable:
			return out, false
		default:
			*rest = (*rest)[1:]
			if e.Mode == filemode.Executable {
				m = execMode
			}
		}
		out.entries = append(out.entries, one)
		tree = fmt.Appendf(tree, "%s %s\x00%s", m, name, hash[:])
	}
	sum := sha1.New() //nolint:gosec // what Git names folders by
	fmt.Fprintf(sum, "tree %d\x00", len(tree))
	sum.Write(tree)
	copy(out.hash[:], sum.Sum(nil))
	// In the index a folder is sorted as if its name ended with a slash.
	slices.SortFunc(out.entries, func(a, b stagedEntry) int { return strings.Compare(a.name, b.name) })
	return out, true
}

// isAsWritten reports whether a file of the work tree is as it was when the index was written. As for Git itself, that
// is one which has the size, the times and the inode that the index has, and that was last changed before.
func (s staged) isAsWritten(e *index.Entry, file string) bool {
	state, err := files.LookAt(file)
	return err == nil && e != nil && state.IsFile() && uint32(state.Size) == e.Size && //nolint:gosec // 32 bits there
		uint32(state.Inode) == e.Inode && state.Written == e.ModifiedAt.UnixNano() && //nolint:gosec // as above
		state.Changed == e.CreatedAt.UnixNano() && state.IsBefore(s.at.ModTime())
}

// isFresh is isAsWritten for a work tree that may be a copy, whose files have other inodes and times of change: its
// answer is no proof, as the time when a file was written can be set.
func (s staged) isFresh(e *index.Entry, file string) bool {
	info, err := os.Lstat(file)
	return err == nil && e != nil && info.ModTime().Equal(e.ModifiedAt) &&
		uint32(info.Size()) == e.Size && info.ModTime().Before(s.at.ModTime()) //nolint:gosec // the index has 32 bits
}
