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
}

// store holds the bytes of entries by their names.
type store interface {
	// read returns nil where there is no entry. The error errNotWhole is that of one that is damaged.
	read(n Name) ([]byte, error)
	write(n Name, parts ...[]byte) error
	most() int64 // bytes of an entry
	close() error
}

// Cache is a store of entries. It may be used from several goroutines, and what it is kept in by several processes.
type Cache struct {
	store store
	disk  *files.Unlinked

	answers sync.Map // files.Digest by asked

	hits, misses atomic.Int64
	written      atomic.Int64 // bytes

	mu      sync.Mutex
	trouble error // why nothing is written any more; nil where all is well
}

// Open returns the cache on a server, or in a folder, which is made where there is none. A folder that others may write
// to, or that belongs to another user, is an error: who writes entries decides what is rendered. One that cannot be
// made or written to is none: see Trouble.
func Open(o Options) (*Cache, error) {
	if IsRemote(o.Dir) {
		r, err := newRemote(o.Dir, o.Authorization)
		return &Cache{store: r, disk: files.NewUnlinked(files.Disk{})}, err
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	f := &folder{dir: filepath.Join(o.Dir, layout), limit: o.Limit}
	c := &Cache{store: f, disk: files.NewUnlinked(files.Disk{})}
	err := prepare(o.Dir, f.dir)
	switch {
	case err == nil:
		return c, nil
	case isWithoutSpace(err), errors.Is(err, fs.ErrPermission):
		c.stop(err)
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

// Trouble returns why the cache was not written to; nil where it was, or nothing was to be.
func (c *Cache) Trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}

// stop has nothing written any more.
func (c *Cache) stop(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trouble == nil {
		c.trouble = files.Cause(err)
	}
}

// Counts are the renders that were found and those that were not.
type Counts struct{ Hits, Misses int64 }

// Counts returns what became of what was looked for.
func (c *Cache) Counts() Counts { return Counts{c.hits.Load(), c.misses.Load()} }

// Close ends the use of the cache. Of a folder with more than the limit, it removes the entries that were not used for
// the longest time.
func (c *Cache) Close() {
	if c.written.Load() == 0 {
		return
	}
	if err := c.store.close(); err != nil {
		c.stop(err)
	}
}
