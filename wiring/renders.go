package wiring

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/rendercache"
)

// renders are the caches of renders that a run uses, by their folders: mostly none, or one.
type renders struct {
	mu   sync.Mutex
	open map[string]*rendercache.Cache
	run  []byte // what identifies this run among others; nil until it is asked for
}

// WithRenders returns an application whose results are cached where the settings say so.
func (w *Wiring) WithRenders(a *app.Application) (*app.Application, error) {
	if a.Stamping() == nil {
		return a, nil
	}
	view, err := w.Renders(a.Settings(), a.Stamping().Key)
	if err != nil || view == nil {
		return a, err
	}
	return a.WithRenders(view), nil
}

// Renders returns the cache that settings name for what is stamped with a key, nil where they name none. The error is
// that it must not be used.
func (w *Wiring) Renders(s *config.Settings, of *hashing.Key) (*rendercache.View, error) {
	dir := s.RenderCache.Value
	if dir == "" || w.helm == config.Helm4 { // Helm 4 is another program, in a version of its own
		return nil, nil //nolint:nilnil // no cache is nil
	}
	if rendercache.IsRemote(dir) && of == nil {
		return nil, diag.Usage(fmt.Errorf("%s: a render cache on a server is for runs with a hash key", s.RenderCache.Source),
			"Pass --hash-key-file: without one, whoever can write there could decide what is rendered, and read what was.")
	}
	var key rendercache.Key // an interface: one with a nil pointer in it would be a key
	var err error
	if of != nil {
		if key, err = of.ForRenders(); err != nil {
			return nil, err
		}
	}
	if err := refuseInTree(s, dir, key); err != nil {
		return nil, err
	}
	cache, run, err := w.openRenders(dir) // which makes the folder
	if err != nil {
		return nil, err
	}
	return cache.With(key, fmt.Appendf(slices.Clip(run), " %d", w.helm)), nil
}

// refuseInTree refuses a folder that whoever writes the tree can fill: without a key nobody can tell what came from
// there.
func refuseInTree(s *config.Settings, dir string, key rendercache.Key) error {
	if key != nil || s.Place().Root == "" || s.Place().Files != nil {
		return nil
	}
	if at, _ := files.RealPath(nil, dir); !files.Within(s.Place().Root, at) {
		return nil
	}
	return diag.Usage(fmt.Errorf("%s: %s lies in the tree that is rendered, and there is no hash key",
		s.RenderCache.Source, dir),
		"Whoever writes the tree could write entries, too: name a folder elsewhere, or pass --hash-key-file, "+
			"with which entries are encrypted.")
}

// triedAgain is after how long a process that stays tries a cache again that failed.
const triedAgain = time.Minute

// openRenders returns the cache in a folder or on a server, and what identifies the run.
func (w *Wiring) openRenders(dir string) (*rendercache.Cache, []byte, error) {
	r := w.renders
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		var err error
		if r.run, err = identifyRun(w.release); err != nil {
			return nil, nil, err
		}
	}
	if c := r.open[dir]; c != nil {
		return c, r.run, nil
	}
	options := rendercache.Options{Dir: dir}
	options.Authorization, _ = w.env(config.EnvRenderCacheAuthorization)
	if w.stays {
		options.Stays = &rendercache.Stays{Again: triedAgain, Note: func(err error) {
			log.Printf("the render cache %s is not used for now: %v", dir, err)
		}}
	}
	c, err := rendercache.Open(options)
	if err != nil {
		return nil, nil, err
	}
	if r.open == nil {
		r.open = map[string]*rendercache.Cache{}
	}
	r.open[dir] = c
	return c, r.run, nil
}

// identifyRun returns all but the applications that decides what a run renders: this program, the working folder, from
// which reports write paths, and what charts see of the time zone, in winter and summer.
func identifyRun(release string) ([]byte, error) {
	program, err := identifyProgram(release)
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	for _, month := range []time.Month{time.January, time.July} {
		name, offset := time.Date(2024, month, 1, 0, 0, 0, 0, time.Local).Zone()
		program = fmt.Appendf(program, " %s%+d", name, offset)
	}
	return append(program, here...), nil
}

// headBytes is how much of a program is read: its tables of sections and, where the linker wrote one, its build ID.
const headBytes = 64 << 10

// identifyProgram returns what identifies this program, also one that was built without a release.
func identifyProgram(release string) ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("identify the program: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("identify the program: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("identify the program: %w", err)
	}
	head := sha256.New()
	if _, err := io.CopyN(head, file, headBytes); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("identify the program: %w", err)
	}
	return fmt.Appendf(nil, "%s %d %x", release, info.Size(), head.Sum(nil)), nil
}

// CloseRenders ends the use of the caches of renders, and returns for each folder how many renders were found there and
// why nothing was written.
func (w *Wiring) CloseRenders() (out []RenderCache) {
	w.renders.mu.Lock()
	defer w.renders.mu.Unlock()
	for dir, c := range w.renders.open {
		c.Close()
		out = append(out, RenderCache{Dir: dir, Counts: c.Counts(), Err: c.Trouble(), Damaged: c.Damaged()})
	}
	return out
}

// RenderCache is what became of a cache of renders in a run.
type RenderCache struct {
	Dir    string
	Counts rendercache.Counts
	Err    error // why nothing was written; nil where all was
	// Damaged: what was noted of applications was, and is made again.
	Damaged bool
}
