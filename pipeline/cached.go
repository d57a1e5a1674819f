package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// cachedRun is the run of an application whose result may be in the cache of renders. There are two sorts of entries.
// The first is named by all that decides which files are read. It lists what was asked of the files and the lock, and
// summarizes the latest result. The second holds a result, and is named by the answers, too. Nil is a run of which
// nothing is cached.
type cachedRun struct {
	app   *app.Application
	cache *rendercache.View
	first rendercache.Name  // of the entry of the first sort
	id    [sha256.Size]byte // of all but the files and the lock

	damaged []diag.Finding
}

// latest is an entry of the first sort.
type latest struct {
	Reads   []reads       // of this run and earlier ones, the latest first
	Name    []byte        // of the entry with the latest result
	Summary Summary       // of the latest result
	Ties    []byte        // of the latest result, encoded: most runs ask for none
	Known   []known       // answers of trees, the latest first
	Took    time.Duration // that making the latest result took
}

// reads is what a run asked, from the files and from the lock.
type reads struct {
	Files []byte // files.Questions
	Refs  []sources.Ref
}

// maxReads is how many sets of questions an application has: a change in a file leads to others, and changing it back
// to the former.
const maxReads = 4

// newCachedRun returns the run of an application, nil where nothing of it may be cached.
func newCachedRun(a *app.Application) *cachedRun {
	if a.Renders() == nil || !mayCache(a) {
		return nil
	}
	id, err := identify(a)
	if err != nil {
		return nil // it is rendered, as always
	}
	return &cachedRun{app: a, cache: a.Renders(), first: a.Renders().Name(id), id: sha256.Sum256(id)}
}

// find returns the cached result; nil where there is none.
func (c *cachedRun) find(ctx context.Context) *Rendered {
	if c == nil {
		return nil
	}
	if found := c.findNoted(ctx); found != nil {
		c.cache.Found(0) // notes are none of a server
		return found
	}
	last := c.latest()
	for _, one := range last.Reads {
		name, answers, ok := c.name(ctx, one, last.Known)
		if !ok {
			continue
		}
		if bytes.Equal(name[:], last.Name) {
			if !takes(c.app, &last.Summary) {
				break
			}
			c.cache.Found(last.Took)
			last = c.remember(last, answers)
			c.note(last, one, answers)
			return c.rendered(ctx, &last, c.at(name, one, answers))
		}
		if result := c.result(c.at(name, one, answers)); result != nil {
			if s := summarize(result); !takes(c.app, &s) {
				break
			}
			c.cache.Found(last.Took) // this one took about as long
			last = c.remember(last, answers)
			if l, ok := latestOf(result, name); ok {
				l.Reads, l.Known, l.Took = []reads{one}, last.Known, last.Took
				c.note(l, one, answers)
			}
			return NewRendered(result)
		}
	}
	c.cache.Missed()
	return nil
}

// rendered returns the latest result, of which no more is read than what is asked for.
func (c *cachedRun) rendered(ctx context.Context, l *latest, at *storedAt) *Rendered {
	name, ties := at.name, l.Ties
	return &Rendered{
		summary: c.summary(l.Summary), origin: at, damaged: c.damaged,
		load: func() (*Result, error) { return c.load(ctx, at) },
		ties: func() []byte {
			if len(ties) > 0 {
				return ties
			}
			if l := c.latest(); bytes.Equal(l.Name, name[:]) { // notes have none of them
				return l.Ties
			}
			return nil
		},
	}
}

// latestOf returns the entry of the first sort for a result, without what was asked for it.
func latestOf(r *Result, name rendercache.Name) (latest, bool) {
	ties, err := rendercache.Encode(TiesOf(r))
	return latest{Name: name[:], Summary: summarize(r), Ties: ties}, err == nil
}

// summary returns a summary with what is to be reported of the cache.
func (c *cachedRun) summary(s Summary) *Summary {
	s.Findings = slices.Concat(s.Findings, c.damaged)
	return &s
}

// load returns the result of an entry, or renders it where it is gone meanwhile.
func (c *cachedRun) load(ctx context.Context, at *storedAt) (*Result, error) {
	if result := c.result(at); result != nil {
		return result, nil
	}
	c.cache.Lost()
	return run(ctx, c.app, c)
}

// result returns the result of an entry; nil where there is none, or not a whole one.
func (c *cachedRun) result(at *storedAt) *Result {
	text := c.get(at.name)
	if text == nil {
		return nil
	}
	result, err := decodeResult(text)
	if err != nil {
		c.reportDamage()
		return nil
	}
	result.Stored, result.damaged, result.origin = true, c.damaged, at
	return result
}

// get returns an entry of the cache, nil where there is none, and reports one that is damaged.
func (c *cachedRun) get(name rendercache.Name) []byte {
	text, err := c.cache.Get(name)
	if errors.Is(err, rendercache.ErrDamaged) {
		c.reportDamage()
	}
	return text
}

func (c *cachedRun) reportDamage() {
	if c.damaged == nil {
		c.damaged = []diag.Finding{damageOf(c.app)}
	}
}

// damageOf returns the finding that an entry about an application was damaged.
func damageOf(a *app.Application) diag.Finding {
	f := diag.New(diag.CacheDamaged, "", "an entry of the render cache was damaged, and the application rendered again")
	return f.At(diag.Position{File: a.Path()})
}

// latest returns what earlier runs asked and the last of them made; nothing where there was none.
func (c *cachedRun) latest() (l latest) {
	text := c.get(c.first)
	if text == nil {
		return l
	}
	l, err := rendercache.Decode[latest](text)
	if err != nil {
		c.reportDamage()
		return latest{}
	}
	return l
}

// name returns the name of the result that follows from the answers to what was asked; false where there is none.
func (c *cachedRun) name(ctx context.Context, r reads, of []known) (rendercache.Name, answers, bool) {
	questions, rest, err := files.ParseQuestions(r.Files)
	if err != nil || len(rest) > 0 {
		c.reportDamage()
		return rendercache.Name{}, answers{}, false
	}
	locked, ok := c.askLock(ctx, r.Refs)
	if !ok {
		return rendercache.Name{}, answers{}, false
	}
	a := c.ask(questions, r, of)
	return c.nameOf(sha256.Sum256(r.Files), a.digest, locked), a, true
}

// nameOf returns the name of the result that follows from what was asked, by its digest, and the answers.
func (c *cachedRun) nameOf(asked [sha256.Size]byte, answers files.Digest, locked []byte) rendercache.Name {
	return c.cache.Name(slices.Concat([]byte("render\n"), c.id[:], asked[:], answers[:], locked))
}

// askLock returns what the lock says of an application, and answers; false where something else than the lock answers,
// or the lock does not.
func (c *cachedRun) askLock(ctx context.Context, refs []sources.Ref) ([]byte, bool) {
	id, how := newIdentity(), c.app.Stamping()
	if how == nil {
		return nil, true
	}
	decided, err := lockDecisions(c.app)
	if err != nil {
		return nil, false
	}
	id.Add(decided)
	if len(refs) > 0 {
		locked, ok := how.Resolver.(lock.InForce)
		if !ok {
			return nil, false
		}
		answers, found, err := locked.Resolve(ctx, refs)
		if err != nil {
			return nil, false
		}
		id.Add(answers, found)
	}
	text, err := id.Bytes()
	return text, err == nil
}

// watch shows each document of a stored render to who watches the application's.
func watch(a *app.Application, out *render.Output) error {
	if a.Stamping() == nil || a.Stamping().Watch == nil {
		return nil
	}
	for reader := manifest.NewReader(out.Text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return err
		}
		if err := a.Stamping().Watch(d); err != nil {
			return err
		}
	}
}

// stages is the function of this name, whose result is cached. An error is the one of files that nobody records, which
// for the disk has other words.
func (c *cachedRun) stages(ctx context.Context, a *app.Application) (*Result, error) {
	if c == nil {
		return stages(ctx, a)
	}
	seen := watchFiles(c.cache, a)
	result, err := stages(ctx, withFiles(a, seen.recorder))
	took := time.Since(seen.begun)
	c.cache.Rendered(took)
	if err != nil {
		if ctx.Err() != nil || a.Request().Files != nil {
			return nil, err
		}
		return stages(ctx, a)
	}
	c.store(ctx, result, seen, took)
	result.damaged = c.damaged
	return result, nil
}

// withFiles returns an application whose engine reads its files from a system, and nothing from what others read.
func withFiles(a *app.Application, system files.System) *app.Application {
	r := a.Request()
	roots := &config.Roots{Files: system}
	if r.Roots != nil {
		roots.Top = r.Roots.Top
	}
	r.Files, r.Roots = system, roots
	return a.WithRequest(r)
}

// store stores a result, if it is the same in each run over these files, and they did not change meanwhile.
func (c *cachedRun) store(ctx context.Context, result *Result, seen watched, took time.Duration) {
	if !isStable(c.app, result) || result.encoded && c.app.Stamping().Watch != nil { // it saw the text as it was
		return
	}
	text, err := encodeResult(result) // it may read files to find origins
	if err != nil {
		return
	}
	locked, ok := c.askLock(ctx, result.Asked)
	if !ok {
		return
	}
	record := seen.recorder.Record()
	questions := record.Questions()
	proof, ok := seen.holds()
	if !ok {
		again := c.beginProof(questions)
		if !record.Holds(files.OrDisk(c.app.Request().Files)) {
			return
		}
		proof = again.end()
	}
	one := reads{Files: questions.Append(nil), Refs: result.Asked}
	a := answers{digest: record.Digest(), print: c.fingerprint(questions, one), proof: proof}
	name := c.nameOf(sha256.Sum256(one.Files), a.digest, locked)
	if l, ok := latestOf(result, name); ok {
		l.Known, l.Took = c.known(a, nil), took
		l = c.put(one, text, l)
		c.note(l, one, a)
		result.origin = c.at(name, one, a)
	}
}

// put stores a result, makes it the latest, of which the rest is known, and returns that.
func (c *cachedRun) put(one reads, result []byte, l latest) latest {
	encoded, err := rendercache.Encode([]reads{one})
	if err != nil {
		return l
	}
	c.cache.Put(rendercache.Name(l.Name), result)
	before := c.latest()
	l.Reads, l.Known = []reads{one}, appendKnown(l.Known, before.Known)
	for _, other := range before.Reads {
		text, err := rendercache.Encode([]reads{other})
		if err == nil && string(text) != string(encoded) && len(l.Reads) < maxReads {
			l.Reads = append(l.Reads, other)
		}
	}
	c.write(l)
	return l
}

// write stores an entry of the first sort.
func (c *cachedRun) write(l latest) {
	if text, err := rendercache.Encode(l); err == nil {
		c.cache.Put(c.first, text)
	}
}
