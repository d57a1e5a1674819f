package lock

import (
	"bytes"
	"reflect"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
)

// Cache parses a lock that applications share once, and again when its text is another. It may be used from any
// goroutine at a time; nil retains nothing.
type Cache struct {
	mu   sync.Mutex
	last []cached // the latest last

	found sync.Map // the path of the lock in force by known
}

// known is a place of which it is known which lock is in force.
type known struct {
	files files.System
	dir   string
}

// knownAt returns the place as it is known; false where it cannot be.
func (c *Cache) knownAt(at config.Place) (known, bool) {
	if c == nil || at.Given != nil || at.Files != nil && !reflect.ValueOf(at.Files).Comparable() {
		return known{}, false
	}
	return known{at.Files, at.Dir}, true
}

// cached is a lock that was read, for everybody: nobody changes it.
type cached struct {
	path    string
	text    []byte
	toWrite bool // as NearestToWrite reads it
	file    *File
}

// capacity is how many locks are retained: as many as the goroutines of a run read at a time, and some more.
const capacity = 16

// Nearest reads the lock that is in force at a place; nil where there is none.
func (c *Cache) Nearest(at config.Place) (*File, error) {
	return c.nearest(at, false)
}

// NearestToWrite reads the lock that is in force at a place as the function of that name does.
func (c *Cache) NearestToWrite(at config.Place) (*File, error) {
	return c.nearest(at, true)
}

// Know has the cache look for no other lock at a place than the one at a path; "" is that there is none. It is for a
// run that makes none.
func (c *Cache) Know(at config.Place, path string) {
	if place, ok := c.knownAt(at); ok {
		c.found.Store(place, path)
	}
}

// at returns the path of the lock that is in force at a place, and its text; the path is "" where there is none.
func (c *Cache) at(place config.Place) (path string, text []byte, err error) {
	of, ok := c.knownAt(place)
	if !ok {
		return nearest(place)
	}
	found, ok := c.found.Load(of)
	switch path, _ := found.(string); {
	case !ok:
		return nearest(place)
	case path == "":
		return "", nil, nil
	default:
		return readAt(place, path)
	}
}

func (c *Cache) nearest(at config.Place, toWrite bool) (*File, error) {
	path, text, err := c.at(at)
	if path == "" || err != nil {
		return nil, err
	}
	if c == nil {
		return parse(path, text, toWrite)
	}
	if file := c.find(path, text, toWrite); file != nil {
		return file, nil
	}
	file, err := parse(path, text, toWrite)
	if err == nil {
		c.add(cached{path, text, toWrite, file})
	}
	return file, err
}

// find returns the lock at a path if it had the same text; nil else.
func (c *Cache) find(path string, text []byte, toWrite bool) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.last, func(one cached) bool {
		return one.path == path && one.toWrite == toWrite && bytes.Equal(one.text, text)
	})
	if i < 0 {
		return nil
	}
	return c.last[i].file
}

// add retains a lock, in place of an earlier one of its path or of the oldest.
func (c *Cache) add(one cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = slices.DeleteFunc(c.last, func(other cached) bool {
		return other.path == one.path && other.toWrite == one.toWrite
	})
	if len(c.last) == capacity {
		c.last = slices.Delete(c.last, 0, 1)
	}
	c.last = append(c.last, one)
}
