// Package rendercache holds renders in a folder that many processes share, by what they were made from. An entry is
// checked when it is read; where the folder cannot be used, everything works without it.
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
	Dir   string
	Limit int64 // of bytes; 0 is DefaultLimit
}

// Cache is a folder of entries. It may be used from several goroutines, and its folder by several processes.
type Cache struct {
	folder *folder
	disk   *files.Unlinked

	hits, misses atomic.Int64
	written      atomic.Int64 // bytes

	mu      sync.Mutex
	trouble error // why nothing is written any more; nil where all is well
}

// Open returns the cache in a folder, which is made where there is none. A folder that others may write to, or
// that belongs to another user, is an error: who writes entries decides what is rendered. One that cannot be made or
// written to is none: see Trouble.
func Open(o Options) (*Cache, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	c := &Cache{folder: &folder{dir: filepath.Join(o.Dir, layout), limit: o.Limit}, disk: files.NewUnlinked(files.Disk{})}
	err := prepare(o.Dir, c.folder.dir)
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

// Close removes the entries that were not used for the longest time, where there are more than the limit.
func (c *Cache) Close() {
	if c.written.Load() == 0 {
		return
	}
	if _, err := c.folder.prune(c.folder.limit); err != nil {
		c.stop(err)
	}
}
