package wiring

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
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
	dir := a.Settings().RenderCache.Value
	if dir == "" || a.Stamping() == nil || w.helm == config.Helm4 { // Helm 4 is another program, in a version of its own
		return a, nil
	}
	if rendercache.IsRemote(dir) && a.Stamping().Key == nil {
		return nil, diag.Usage(fmt.Errorf("%s: a render cache on a server is for runs with a hash key",
			a.Settings().RenderCache.Source), "Pass --hash-key-file: without one, whoever can write there could decide what "+
			"is rendered, and read what was.")
	}
	authorization, _ := w.env(config.EnvRenderCacheAuthorization)
	cache, run, err := w.renders.in(dir, authorization, w.release)
	if err != nil {
		return nil, err
	}
	var key rendercache.Key // an interface: one with a nil pointer in it would be a key
	if of := a.Stamping().Key; of != nil {
		if key, err = of.ForRenders(); err != nil {
			return nil, err
		}
	}
	if err := refuseInTree(a.Settings(), dir, key); err != nil {
		return nil, err
	}
	return a.WithRenders(cache.With(key, fmt.Appendf(slices.Clip(run), " %d", w.helm))), nil
}

// refuseInTree refuses a folder that whoever writes the tree can fill: without a key nobody can tell what came from
// there.
func refuseInTree(s *config.Settings, dir string, key rendercache.Key) error {
	if key != nil || s.Place().Root == "" || s.Place().Files != nil {
		return nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find %s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if !files.Within(s.Place().Root, abs) {
		return nil
	}
	return diag.Usage(fmt.Errorf("%s: %s lies in the tree that is rendered, and there is no hash key",
		s.RenderCache.Source, dir),
		"Whoever writes the tree could write entries, too: name a folder elsewhere, or pass --hash-key-file, "+
			"with which entries are encrypted.")
}

// in returns the cache in a folder or on a server, and what identifies the run.
func (r *renders) in(dir, authorization, release string) (*rendercache.Cache, []byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		var err error
		if r.run, err = identifyRun(release); err != nil {
			return nil, nil, err
		}
	}
	if c := r.open[dir]; c != nil {
		return c, r.run, nil
	}
	c, err := rendercache.Open(rendercache.Options{Dir: dir, Authorization: authorization})
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
		out = append(out, RenderCache{Dir: dir, Counts: c.Counts(), Err: c.Trouble()})
	}
	return out
}

// RenderCache is what became of a cache of renders in a run.
type RenderCache struct {
	Dir    string
	Counts rendercache.Counts
	Err    error // why nothing was written; nil where all was
}
