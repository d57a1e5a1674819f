package rendercache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/files"
)

// Name is the name of an entry: a digest of what it follows from.
type Name [sha256.Size]byte

// Key names and encrypts entries.
type Key interface {
	Name(of []byte) [sha256.Size]byte
	Seal(name, text []byte) []byte
	Open(name, sealed []byte) ([]byte, error)
}

// ErrDamaged is that an entry is not what was written under its name.
var ErrDamaged = errors.New("it is damaged, or nobody wrote it under this name")

var errNotWhole = errors.New("it is no whole file")

// An entry begins with one of these.
const (
	plain  = "rollstamp render 1\n"
	sealed = "rollstamp sealed 1\n"
)

// View is a cache for what is rendered under one key, in runs of one sort.
type View struct {
	cache *Cache
	key   Key // nil encrypts nothing
	run   []byte

	once  sync.Once
	noted *notes // of runs like this one, once they were asked for
}

// With returns the cache for what is rendered under a key; nil is none. Run is all that runs have in common which
// render the same: the program in its version, and what it sees of the machine.
func (c *Cache) With(key Key, run []byte) *View { return &View{cache: c, key: key, run: run} }

// Run returns what runs have in common which render the same.
func (v *View) Run() []byte { return v.run }

// Disk returns the disk, to be asked whether its files are those of earlier runs.
func (v *View) Disk() files.System { return v.cache.disk }

// Abs is filepath.Abs, and asks once for the working folder.
func (v *View) Abs(path string) (string, error) { return v.cache.disk.Abs(path) }

// Prover shows that files on the disk are those of earlier runs. In a process that stays there is none.
func (v *View) Prover() *files.Prover {
	if !v.cache.takesNotes {
		return nil
	}
	return v.cache.prover
}

// asked is a question to a system that never changes.
type asked struct {
	system   files.Fingerprinted
	question files.Question
}

// Ask returns what a system answers, which is asked once in a run: applications have the folders above them in common.
func (v *View) Ask(system files.Fingerprinted, q files.Question) files.Digest {
	id := asked{system, q}
	if known, ok := v.cache.answers.Load(id); ok {
		return known.(files.Digest) //nolint:forcetypeassert // nothing else is stored
	}
	answer := q.Ask(system)
	v.cache.answers.Store(id, answer)
	return answer
}

// Name returns the name of what follows from these bytes.
func (v *View) Name(of []byte) Name {
	if v.key == nil {
		return sha256.Sum256(of)
	}
	return v.key.Name(of)
}

// Get returns the entry of a name, nil where there is none. The error is ErrDamaged.
func (v *View) Get(n Name) ([]byte, error) {
	text, err := v.cache.store.read(n)
	switch {
	case errors.Is(err, errNotWhole):
		return nil, ErrDamaged
	case text == nil || err != nil: // what cannot be read is not there
		return nil, nil //nolint:nilerr // it is rendered then
	}
	return v.open(n, text)
}

// open checks an entry.
func (v *View) open(n Name, text []byte) ([]byte, error) {
	if v.key != nil {
		rest, ok := bytes.CutPrefix(text, []byte(sealed))
		if !ok {
			return nil, ErrDamaged
		}
		if rest, err := v.key.Open(n[:], rest); err == nil {
			return rest, nil
		}
		return nil, ErrDamaged
	}
	return openPlain(n, text)
}

func openPlain(n Name, text []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(text, []byte(plain))
	if !ok || len(rest) < sha256.Size {
		return nil, ErrDamaged
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if want := sumOf(n, rest); !bytes.Equal(sum, want[:]) {
		return nil, ErrDamaged
	}
	return rest, nil
}

// sumOf returns the digest of an entry with its name.
func sumOf(n Name, text []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(n[:])
	h.Write(text)
	h.Sum(sum[:0])
	return sum
}

// Put stores an entry. Where that fails, nothing is written for a while, or any more: see Options.
func (v *View) Put(n Name, text []byte) {
	c := v.cache
	if int64(len(text)) > c.store.most() {
		return
	}
	isTrial, err := c.stopped.ask()
	if err != nil {
		return
	}
	if v.key == nil {
		sum := sumOf(n, text)
		err = c.store.write(n, append([]byte(plain), sum[:]...), text)
	} else {
		err = c.store.write(n, []byte(sealed), v.key.Seal(n[:], text))
	}
	if err != nil {
		c.stopped.begin(files.Cause(err))
		return
	}
	if isTrial {
		c.stopped.end()
	}
	c.count(len(text))
}

// Found counts a render that was found, and would have taken some time, as far as that is known.
func (v *View) Found(saved time.Duration) {
	v.cache.hits.Add(1)
	v.Rendered(saved)
}

// Rendered counts the time of a render: a server may cost as much, and a little more, before it is not asked any more.
func (v *View) Rendered(took time.Duration) {
	if r, ok := v.cache.store.(*remote); ok {
		r.earns(took)
	}
}

// Missed counts a render that was not found.
func (v *View) Missed() { v.cache.misses.Add(1) }

// Lost counts a render as not found that was found, and of which not all could be read.
func (v *View) Lost() {
	v.cache.hits.Add(-1)
	v.cache.misses.Add(1)
}
