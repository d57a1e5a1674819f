// Package rendercache holds renders that many processes share, in a folder or on a server, by what they were made from.
// An entry is checked when it is read; where the cache cannot be used, everything works without it.
package rendercache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// DefaultLimit is how many bytes of entries a folder holds where nobody says otherwise.
const DefaultLimit = 4 << 30

// Options are where and how much is cached.
type Options struct {
	Dir   string // a folder, or what IsRemote takes
	Limit int64  // of bytes in a folder; 0 is DefaultLimit
	// Authorization is the header of that name for a server, and what a certificate of it is checked with is the
	// system's.
	Authorization string
	// Timeout is how long a request to a server may take; 0 is 5 seconds, and 1 in a process that stays.
	Timeout time.Duration
	// Patience is what answers of a server may cost in excess of what rendering took, or would have taken; 0 is 10
	// seconds.
	Patience time.Duration
	// Stays is set where the process does; nil where it ends soon.
	Stays *Stays
}

// Stays is what a process that stays has of a cache which fails: it is tried again, and somebody is told.
type Stays struct {
	Again time.Duration // after which it is tried again
	Note  func(error)   // is called with why nothing is written, or asked, meanwhile
}

// store holds the bytes of entries by their names.
type store interface {
	// read returns nil where there is no entry. The error errNotWhole is that of one that is damaged.
	read(n Name) ([]byte, error)
	write(n Name, parts ...[]byte) error
	most() int64  // bytes of an entry
	bound() error // removes what is more than the store may hold
}

// Cache is a store of entries. It may be used from several goroutines, and what it is kept in by several processes.
type Cache struct {
	store store
	disk  *files.Unlinked

	answers sync.Map // files.Digest by asked
	prover  *files.Prover

	takesNotes bool
	noted      struct {
		sync.Mutex
		by map[Name]*notes
	}

	hits, misses atomic.Int64
	written      atomic.Int64 // bytes since the store was last bounded
	unbounded    int64        // of these, with which it is bounded again

	stopped pause // of writing
}

// Open returns the cache on a server, or in a folder, which is made where there is none. A folder that others may write
// to, or that belongs to another user, is an error: who writes entries decides what is rendered. One that cannot be
// made or written to is none: see Trouble.
func Open(o Options) (*Cache, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	c := &Cache{disk: files.NewUnlinked(files.Disk{}), unbounded: o.Limit / 16}
	c.prover = files.NewProver(c.disk)
	if o.Stays != nil {
		c.stopped.again, c.stopped.note = o.Stays.Again, o.Stays.Note
		c.written.Store(c.unbounded) // processes that end early, one after the other, exceed no limit either
	}
	if IsRemote(o.Dir) {
		r, err := newRemote(o)
		c.store = r
		return c, err
	}
	if isAddress(o.Dir) {
		return nil, diag.Usage(fmt.Errorf("use the render cache %s: it is an address, and not of a server over HTTP", o.Dir),
			"Write https://HOST/PATH, or the path of a folder.")
	}
	f := &folder{dir: filepath.Join(o.Dir, layout), limit: o.Limit}
	c.store, c.takesNotes = f, o.Stays == nil
	err := prepare(o.Dir, f.dir)
	switch {
	case err == nil:
		return c, nil
	case isWithoutSpace(err), errors.Is(err, fs.ErrPermission):
		c.stopped.begin(files.Cause(err))
		return c, nil
	}
	return nil, diag.Usage(fmt.Errorf("use the render cache %s: %w", o.Dir, err),
		"Name a folder of your own that others may not use (chmod 700), or one that is not there yet.")
}

// prepare makes the folders of a cache.
func prepare(dir, entries string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return files.Cause(err)
	}
	if err := files.PrivateFolder(dir); err != nil {
		return err
	}
	if err := os.Mkdir(entries, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return files.Cause(err)
	}
	return nil
}

// Trouble returns why the cache was not written to, or its server not asked any more; nil where both were, or nothing
// was to be.
func (c *Cache) Trouble() error {
	if cause := c.stopped.why(); cause != nil {
		return cause
	}
	if r, ok := c.store.(*remote); ok {
		return r.trouble()
	}
	return nil
}

// Damaged reports whether what earlier runs noted was damaged: it is found out again.
func (c *Cache) Damaged() bool {
	for _, all := range c.noted.by {
		if all.isDamaged {
			return true
		}
	}
	return false
}

// Counts are the renders that were found and those that were not.
type Counts struct{ Hits, Misses int64 }

// Counts returns what became of what was looked for.
func (c *Cache) Counts() Counts { return Counts{c.hits.Load(), c.misses.Load()} }

// count counts bytes that were written, and bounds the store where these are many.
func (c *Cache) count(written int) {
	if c.written.Add(int64(written)) > c.unbounded {
		c.bound()
	}
}

// Close ends the use of the cache. Of a folder with more than the limit, it removes the entries that were not used for
// the longest time.
func (c *Cache) Close() {
	for _, all := range c.noted.by {
		all.write()
	}
	if c.written.Load() > 0 {
		c.bound()
	}
}

func (c *Cache) bound() {
	c.written.Store(0)
	if err := c.store.bound(); err != nil {
		c.stopped.begin(files.Cause(err))
	}
}
