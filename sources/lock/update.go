package lock

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// Update is a lock as it was, and as it becomes for the applications that it is made again for.
type Update struct {
	path     string
	old, now *File
	own      bool                   // one of the applications lies in its folder: nobody else uses it
	used     map[string]bool        // names that the applications have
	clash    error                  // of the first line that cannot stand for all who share it
	looked   []Class                // whose lines about what is gone are removed
	foreign  map[string]sources.Ref // by name, what got a digest of another hash key than the one in the lock
}

// Updates are those of a run, one for each lock.
type Updates []*Update

// At returns the update of the lock that is in force at a place, the same for all places that share it. Where there is
// no lock, one is begun.
func (all *Updates) At(place config.Place) (*Update, error) {
	path, err := place.Nearest(FileName)
	if err != nil {
		return nil, diag.Usage(err, outsideHint)
	}
	path = cmp.Or(path, filepath.Join(place.Dir, FileName))
	i := slices.IndexFunc(*all, func(u *Update) bool { return u.path == path })
	if i < 0 {
		u, err := begin(path, place)
		if err != nil {
			return nil, err
		}
		i = len(*all)
		*all = append(*all, u)
	}
	u := (*all)[i]
	u.own = u.own || filepath.Dir(path) == place.Dir
	return u, nil
}

// begin returns an update of the lock at a path, which is in force at a place, or is to be.
func begin(path string, place config.Place) (*Update, error) {
	old, err := NearestToWrite(place)
	if err != nil {
		return nil, err
	}
	if old == nil {
		old = &File{}
	}
	u := &Update{path: path, old: old, now: old.Clone(), used: map[string]bool{}, foreign: map[string]sources.Ref{}}
	if u.now.level == 0 { // it is begun
		u.now.level = config.MaxLevel
	}
	return u, nil
}

// Path returns the file, which need not be there yet.
func (u *Update) Path() string { return u.path }

// Old returns the lock as it was. It is not to be changed.
func (u *Update) Old() *File { return u.old }

// New returns the lock as it becomes. It is not to be changed.
func (u *Update) New() *File { return u.now }

// Own reports whether the lock lies in the folder of one of the applications, so that it serves no others.
func (u *Update) Own() bool { return u.own }

// Err returns why the lock cannot be written: applications that share a line and got different answers, and what a
// merge left in conflict that nobody was asked for.
func (u *Update) Err() error {
	errs := []error{u.clash}
	for _, name := range slices.Sorted(maps.Keys(u.now.unresolved)) {
		why := "no application here asks for it"
		if u.used[name] {
			why = "no store has answered for it"
		}
		e := u.now.entries[name]
		switch {
		case e.isDecision():
			why = "people decide which one counts"
		case e.class == classCommit:
			why = "no application here has asked that repository"
		}
		err := fmt.Errorf("%w: both sides have changed %s, and %s", ErrConflict, name, why)
		if !u.old.marked { // put together by a union merge or by hand
			err = fmt.Errorf("%w, first in line %d: %s; the lines differ, and %s", ErrDuplicate, e.line, name, why)
		}
		errs = append(errs, u.now.brokenLine(u.now.unresolved[name], err, u.old.conflictHint(u.used[name])))
	}
	return errors.Join(errs...)
}

// Malformed returns why renders refuse the lock as it was; nil where they take it. Writing it again mends that.
func (u *Update) Malformed() error { return u.old.malformed }

// Raise lets the lock hold its applications at the newest level.
func (u *Update) Raise() { u.now.level = config.MaxLevel }

// Empty reports that there is no lock and need be none.
func (u *Update) Empty() bool { return u.now.Len() == 0 && u.old.Path() == "" }

// Set puts an answer into the lock that an application has got. Two that share a lock and got different answers are an
// error of the lock: one line cannot stand for both.
func (u *Update) Set(ref sources.Ref, answer sources.Answer) {
	now, name, had := u.now.Get(ref)
	switch {
	case u.clash != nil:
		return
	case !had || !u.used[name]:
	case now.Digest != answer.Digest:
		u.clash = diag.Usage(fmt.Errorf("lock %s: applications that share %s have different hash domains, or mean different stores by that name", ref.ID(), u.path),
			"Give them the same hashDomain, or locks of their own.")
		return
	case now.Version != answer.Version:
		u.clash = diag.Usage(fmt.Errorf("lock %s: applications that share %s mean different stores by that name", ref.ID(), u.path),
			"Give each a lock of its own: an empty file rollstamp.lock in its folder is enough.")
		return
	}
	if was, name, had := u.old.Get(ref); had && ofAnother(was, answer.Key) && answer.Digest != "" {
		u.foreign[name] = ref
	}
	u.now.Set(ref, answer)
	u.Use(ref)
}

// OtherKey returns the error of an update whose digests were made with another hash key than those in the lock: they
// say nothing of whether a value has changed. It is one for the lock, with the first such reference.
func (u *Update) OtherKey() error {
	if len(u.foreign) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(u.foreign))[0]
	return otherKey(u.foreign[first], u.old.Position(first), len(u.foreign)-1)
}

func otherKey(ref sources.Ref, at diag.Position, more int) error {
	f := sources.Fail(sources.OtherKey, "")
	if f.Ref = ref; more > 0 {
		f.Status = fmt.Sprintf("as are %d more", more)
	}
	err := f.Diag()
	err.Pos = at
	return err
}

// Use records that an application has the reference.
func (u *Update) Use(ref sources.Ref) {
	if _, name, ok := u.now.Get(ref); ok {
		u.used[name] = true
	}
}

// Settled returns the lines that a merge left in conflict, and that the lock has now.
func (u *Update) Settled() (out []Change) {
	for _, name := range slices.Sorted(maps.Keys(u.old.unresolved)) {
		if _, open := u.now.unresolved[name]; !open && u.now.Text(name) != "" {
			out = append(out, Change{Name: name, Is: u.now.Text(name)})
		}
	}
	return out
}

// Prune drops what none of the applications has.
func (u *Update) Prune() { u.now.Keep(u.used) }

// Change is a line of a lock that becomes another; Was or Is is "" where there is none.
type Change struct{ Name, Was, Is string }

// Changes returns the lines that differ, by name.
func (u *Update) Changes() []Change {
	var out []Change
	if was, is := u.old.level, u.now.level; was > 0 && was != is {
		out = append(out, Change{levelWord, strconv.Itoa(was), strconv.Itoa(is)})
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(u.old.Names(), u.now.Names()...)))) {
		if was, is := u.old.Text(name), u.now.Text(name); was != is {
			out = append(out, Change{name, was, is})
		}
	}
	return out
}

// RekeyFinding reports that every digest of a value differs of those that do not say which hash key they were made
// with, as old locks do not. That one value has changed is expected.
func (u *Update) RekeyFinding() []diag.Finding {
	both, first := 0, ""
	for _, name := range u.old.Names() {
		was, is := u.old.Digest(name), u.now.Digest(name)
		switch {
		case was == "" || is == "" || u.old.entries[name].key != "":
		case was == is:
			return nil
		default:
			if both++; both == 1 {
				first = name
			}
		}
	}
	if both < 2 {
		return nil
	}
	other := diag.New(diag.OtherHashKey, "", fmt.Sprintf("each of the %d digests of values differs from the lock's, as it does with another hash key or domain", both))
	return []diag.Finding{other.At(u.old.Position(first))}
}
