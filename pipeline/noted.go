package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/rendercache"
)

// noted is what a run notes of an application for the next one, which then opens no entry for it: that of the first
// sort, and why the files answer as they did when its latest result was made. The states of files, and no content,
// decide whether a result is still the latest; what it is named by are digests of contents.
type noted struct {
	Latest  latest
	Asked   []byte // digest of the questions
	Answers []byte // digest of the answers to them
	Proof   []byte // that the disk answers so; nil where there is none
}

// mostNoted is how many results are noted of an application: both sides of a comparison of a change in it.
const mostNoted = 2

// noted returns what earlier runs noted of the application, the latest first.
func (c *cachedRun) noted() []noted {
	text, _ := c.cache.NoteOf(c.first)
	if text == nil {
		return nil
	}
	all, err := rendercache.Decode[[]noted](text)
	if err != nil {
		return nil
	}
	return all
}

// findNoted returns the cached result that notes of earlier runs lead to; nil where they lead to none.
func (c *cachedRun) findNoted(ctx context.Context) *Rendered {
	for _, n := range c.noted() {
		if len(n.Latest.Reads) == 0 || len(n.Latest.Name) != len(c.first) || !takes(c.app, &n.Latest.Summary) {
			continue
		}
		find := c.findOnDisk
		if c.app.Request().Files != nil {
			find = c.findInTree
		}
		if found := find(ctx, &n); found != nil {
			return found
		}
	}
	return nil
}

// findOnDisk returns the result of a note where the disk is proven to answer as it did; nil where it is not.
func (c *cachedRun) findOnDisk(ctx context.Context, n *noted) *Rendered {
	if len(n.Asked) != sha256.Size || len(n.Answers) != len(files.Digest{}) {
		return nil
	}
	locked, ok := c.askLock(ctx, n.Latest.Reads[0].Refs)
	if !ok {
		return nil
	}
	name := c.nameOf([sha256.Size]byte(n.Asked), files.Digest(n.Answers), locked)
	if !bytes.Equal(name[:], n.Latest.Name) || !c.proves(n.Proof) {
		return nil
	}
	known := answers{digest: files.Digest(n.Answers), proof: n.Proof}
	return c.rendered(ctx, &n.Latest, c.at(name, n.Latest.Reads[0], known))
}

// findInTree returns the result of a note where a tree is known to answer as another one did for it; nil where it is
// not.
func (c *cachedRun) findInTree(ctx context.Context, n *noted) *Rendered {
	l, one := &n.Latest, n.Latest.Reads[0]
	questions, rest, err := files.ParseQuestions(one.Files)
	if err != nil || len(rest) > 0 {
		return nil
	}
	a := c.recall(questions, one, l.Known)
	if !a.isOld {
		return nil
	}
	locked, ok := c.askLock(ctx, one.Refs)
	if !ok {
		return nil
	}
	name := c.nameOf(sha256.Sum256(one.Files), a.digest, locked)
	if !bytes.Equal(name[:], l.Name) {
		return nil
	}
	return c.rendered(ctx, l, c.at(name, one, a))
}

// proves reports whether a proof of an earlier run still is one.
func (c *cachedRun) proves(text []byte) bool {
	prover := c.cache.Prover()
	return prover != nil && len(text) > 0 && prover.HoldsStill(text)
}

// note notes the latest result, which is named by what was asked and answered.
func (c *cachedRun) note(l latest, asked reads, a answers) {
	if a.proof == nil && a.print == nil {
		return
	}
	digest := sha256.Sum256(asked.Files)
	l.Ties = nil // few runs ask for them, and the entry of the first sort has them
	if len(l.Reads) > 0 && !bytes.Equal(l.Reads[0].Files, asked.Files) {
		l.Reads = []reads{asked}
	}
	next := noted{Latest: l, Asked: digest[:], Answers: a.digest[:], Proof: a.proof}
	all := []noted{next}
	for _, before := range c.noted() {
		if isOfSame := bytes.Equal(before.Asked, next.Asked) && bytes.Equal(before.Answers, next.Answers); !isOfSame {
			all = append(all, before)
		} else if next.Proof == nil { // a tree answered, and the disk may do so as before
			all[0].Proof = before.Proof
		}
	}
	if text, err := rendercache.Encode(all[:min(len(all), mostNoted)]); err == nil {
		c.cache.Note(c.first, text)
	}
}

// proving is a proof that is taken before the questions are answered. The zero value is none.
type proving struct {
	prover *files.Prover
	begun  time.Time
	proof  *files.Proof
}

// beginProof begins a proof of how the disk answers questions.
func (c *cachedRun) beginProof(of files.Questions) (p proving) {
	if c.app.Request().Files != nil {
		return p
	}
	if p.prover = c.cache.Prover(); p.prover != nil {
		p.begun, p.proof = time.Now(), p.prover.Take(of)
	}
	return p
}

// end returns the proof when the questions are answered; nil where files changed meanwhile, or so lately that a further
// change might not show.
func (p proving) end() []byte {
	if p.prover == nil || !p.proof.Settled(p.begun) || !p.prover.Holds(p.proof) {
		return nil
	}
	return p.proof.Append(nil)
}

// watched is what a run asks the files of an application.
type watched struct {
	recorder *files.Recorder
	prover   *files.Prover // nil where only asking again shows that they answer as before
	begun    time.Time
}

// watchFiles returns a recorder of an application's files.
func watchFiles(cache *rendercache.View, a *app.Application) watched {
	w := watched{begun: time.Now()}
	if a.Request().Files == nil {
		w.prover = cache.Prover()
	}
	if w.prover == nil {
		w.recorder = files.NewRecorder(a.Request().Files)
	} else {
		w.recorder = w.prover.Recorder()
	}
	return w
}

// holds reports whether the files are proven to answer as was recorded, and returns the proof. Nothing is recorded
// after it.
func (w watched) holds() (proof []byte, ok bool) {
	if w.prover == nil {
		return nil, false
	}
	p := w.recorder.Proof()
	if p == nil || !p.Settled(w.begun) || !w.prover.Holds(p) {
		return nil, false
	}
	return p.Append(nil), true
}

// storedAt is where a result is cached, and what the files were asked, and answered, that led to it.
type storedAt struct {
	cache   *rendercache.View
	name    rendercache.Name
	asked   []byte // files.Questions
	answers files.Digest
	proof   []byte // that the disk answers so; nil where there is none
}

// at returns where a result is cached.
func (c *cachedRun) at(name rendercache.Name, asked reads, a answers) *storedAt {
	return &storedAt{c.cache, name, asked.Files, a.digest, a.proof}
}

// written returns the name of the note about a file.
func (s *storedAt) written(file string) (rendercache.Name, bool) {
	abs, err := s.cache.Abs(file)
	return s.cache.Name(append([]byte("written\n"), abs...)), err == nil
}

// IsIn reports whether a file holds the manifests of the result: an earlier run wrote them, or read them there, and
// nothing changed the file since.
func (r *Rendered) IsIn(file string) bool {
	at := r.storedAt()
	if at == nil {
		return false
	}
	name, ok := at.written(file)
	if !ok {
		return false
	}
	text, noted := at.cache.NoteOf(name)
	if len(text) < len(at.name) || !bytes.Equal(text[:len(at.name)], at.name[:]) {
		return false
	}
	want, rest, ok := files.ParseState(text[len(at.name):])
	if !ok || len(rest) > 0 || !want.IsBefore(noted) {
		return false
	}
	state, err := files.LookAt(file)
	return err == nil && state == want && state.IsFile()
}

// NoteFile notes that a file of a state holds the manifests of the result.
func (r *Rendered) NoteFile(file string, state files.State) {
	at := r.storedAt()
	if at == nil || !state.IsFile() {
		return
	}
	if name, ok := at.written(file); ok {
		at.cache.Note(name, state.Append(at.name[:len(at.name):len(at.name)]))
	}
}
