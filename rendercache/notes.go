package rendercache

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// notes are what runs wrote down of many applications: one entry of a folder, so that a run over thousands of them
// opens one file. They are read when the first is asked for, and written when the cache is closed, with those that
// other processes wrote meanwhile; whoever writes last may lose some of another process, which costs time only.
type notes struct {
	view *View
	name Name

	mu        sync.Mutex
	isRead    bool
	isDamaged bool
	hasNews   bool
	all       map[Name]note
}

// note is one of them.
type note struct {
	text  []byte
	at    int64 // when it was written to the cache, in nanoseconds; 0 where it was not
	used  int64 // the day of its last use that was written down
	isHot bool  // this run used it
}

// mostNotes is how many bytes of notes stay that a run did not use.
const mostNotes = 64 << 20

// day is how exactly it is known when a note was used.
const day = 24 * time.Hour

// NoteOf returns what an earlier run noted under a name, and when that was written to the cache; nil where there is no
// such note. It is not to be changed.
func (v *View) NoteOf(n Name) (text []byte, at time.Time) {
	all := v.notes()
	if all == nil {
		return nil, time.Time{}
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.read()
	one, ok := all.all[n]
	if !ok {
		return nil, time.Time{}
	}
	if !one.isHot {
		one.isHot = true
		all.all[n] = one
	}
	return one.text, time.Unix(0, one.at)
}

// Note notes something for later runs. Where the cache is on a server, or in a process that stays, nothing is noted.
func (v *View) Note(n Name, text []byte) {
	all := v.notes()
	if all == nil {
		return
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.read()
	all.all[n], all.hasNews = note{text: text, isHot: true}, true
}

// notes returns the notes of runs like this one; nil where there are none.
func (v *View) notes() *notes {
	if v.cache.takesNotes {
		v.once.Do(func() { v.noted = v.cache.notesOf(v) })
	}
	return v.noted
}

// notesOf returns the notes of runs like that of a view.
func (c *Cache) notesOf(v *View) *notes {
	name := v.Name(append([]byte("notes\n"), v.run...))
	c.noted.Lock()
	defer c.noted.Unlock()
	if c.noted.by[name] == nil {
		if c.noted.by == nil {
			c.noted.by = map[Name]*notes{}
		}
		c.noted.by[name] = &notes{view: v, name: name}
	}
	return c.noted.by[name]
}

// read reads what is in the cache, once.
func (a *notes) read() {
	if a.isRead {
		return
	}
	a.isRead = true
	var err error
	if a.all, err = a.stored(); err != nil {
		a.all, a.isDamaged, a.hasNews = map[Name]note{}, true, true
	}
}

// errNotes is that bytes are none that encode writes.
var errNotes = errors.New("read notes: not in their format")

// stored returns the notes in the cache.
func (a *notes) stored() (map[Name]note, error) {
	text, err := a.view.Get(a.name)
	if err != nil || text == nil {
		return map[Name]note{}, err
	}
	count, size := binary.Uvarint(text)
	if size <= 0 || count > uint64(len(text)) {
		return nil, errNotes
	}
	text = text[size:]
	all := make(map[Name]note, count)
	for range count {
		if len(text) < len(Name{}) {
			return nil, errNotes
		}
		name := Name(text[:len(Name{})])
		var numbers [3]uint64 // when it was written, when used, and its length
		text = text[len(Name{}):]
		for i := range numbers {
			if numbers[i], size = binary.Uvarint(text); size <= 0 {
				return nil, errNotes
			}
			text = text[size:]
		}
		n := numbers[2]
		if n > uint64(len(text)) {
			return nil, errNotes
		}
		all[name] = note{text: text[:n:n], at: int64(numbers[0]), used: int64(numbers[1])}
		text = text[n:]
	}
	return all, nil
}

// write writes them where there is something new.
func (a *notes) write() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.hasNews {
		return
	}
	a.hasNews = false
	now := time.Now()
	if others, err := a.stored(); err == nil {
		for name, other := range others {
			if own, known := a.all[name]; !known || own.at != 0 && own.at < other.at {
				other.isHot = own.isHot
				a.all[name] = other
			}
		}
	}
	for name, one := range a.all {
		if one.at == 0 {
			one.at = now.UnixNano()
		}
		if one.isHot {
			one.used = int64(now.Sub(time.Unix(0, 0)) / day)
		}
		a.all[name] = one
	}
	a.view.Put(a.name, a.encode())
}

// encode returns the notes as bytes, without the oldest of those that this run did not use, where they are many.
func (a *notes) encode() []byte {
	names, size, spare := slices.Collect(maps.Keys(a.all)), 0, 0
	slices.SortFunc(names, func(x, y Name) int { return int(a.all[y].used - a.all[x].used) })
	kept := names[:0]
	for _, name := range names {
		one := a.all[name]
		if !one.isHot {
			if spare += len(one.text); spare > mostNotes {
				continue
			}
		}
		kept = append(kept, name)
		size += len(one.text) + len(name) + 3*binary.MaxVarintLen64
	}
	text := binary.AppendUvarint(make([]byte, 0, size+binary.MaxVarintLen64), uint64(len(kept)))
	for _, name := range kept {
		one := a.all[name]
		text = append(text, name[:]...)
		for _, n := range [...]uint64{uint64(one.at), uint64(one.used), uint64(len(one.text))} {
			text = binary.AppendUvarint(text, n)
		}
		text = append(text, one.text...)
	}
	return text
}
