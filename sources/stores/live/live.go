// Package live asks stores: each distinct reference once, many side by side, patient with a store that stumbles and
// done with one that is down.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// Resolver asks stores. Open and Digest are needed; of the rest, zero means the default.
type Resolver struct {
	// Open returns the client of a store. It is asked once for each store, and must not ask the store itself.
	Open func(sources.Store) (sources.Versions, error)
	// Digest returns the keyed digest of a value, or an error where there is no key.
	Digest func(sources.Ref, redact.Secret) (string, error)

	Parallel int           // calls at once; 16
	Timeout  time.Duration // of one call; 5 s
	Budget   time.Duration // of all calls together; 60 s
	Attempts int           // for one reference, but for those that the store turned away; 3
	Patience int           // failed attempts of one store in a row, after which it is not asked any more; 8
}

var _ sources.VersionResolver = (*Resolver)(nil)

// Budget is the time that all calls together have where nobody says another.
const Budget = time.Minute

const (
	parallel = 16
	timeout  = 5 * time.Second
	attempts = 3
	patience = 8
	backoff  = 200 * time.Millisecond
	longest  = 5 * time.Second // that is waited for, where the store asks for no more

	turnedAway = 5 * time.Second // that a store lets nobody through, after which it is not asked any more
)

// Resolve asks for every distinct reference once. An error holds all failures, sorted by reference; of a store that was
// given up the ones that followed are one, and of a store that may not be asked all are. The answers that there are
// come along with an error, too; what was not answered is the zero Answer.
func (r *Resolver) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Budget, Budget))
	defer cancel()
	run := &run{Resolver: r, stores: map[string]*store{}, places: map[string]*place{}}
	order := make([]*place, len(refs))
	for i, ref := range refs {
		order[i] = run.place(ref)
	}
	run.all(ctx)
	answers := make([]sources.Answer, len(refs))
	for i, p := range order {
		answers[i] = p.answer
	}
	return answers, nil, run.failures()
}

// run is one call of Resolve.
type run struct {
	*Resolver
	stores map[string]*store
	places map[string]*place
}

// place is a distinct reference, and what became of it.
type place struct {
	ref    sources.Ref
	store  *store
	answer sources.Answer
	err    error
}

// store is one store during a run.
type store struct {
	open     sync.Once
	versions sources.Versions
	err      error

	mu      sync.Mutex
	failed  int // attempts in a row
	down    bool
	turning time.Time    // since when, and after what it asked for, it lets nobody through; zero where it does
	later   atomic.Int64 // how long its last answer asks to be left alone, in nanoseconds
	// there are no credentials to ask it with, which is no failure of its own; nil where there are
	lacking *sources.Failure
}

func (r *run) place(ref sources.Ref) *place {
	id := ref.ID()
	if p, known := r.places[id]; known {
		return p
	}
	name := ref.Store.Kind + "/" + ref.Store.Namespace + "/" + ref.Store.Name + "/" + ref.Store.Provider
	// a class of the CSI driver may name several projects and services
	for _, field := range slices.Sorted(maps.Keys(ref.Store.Fields)) {
		name += "\x00" + field + "=" + ref.Store.Fields[field]
	}
	s, known := r.stores[name]
	if !known {
		s = &store{}
		r.stores[name] = s
	}
	p := &place{ref: ref, store: s}
	r.places[id] = p
	return p
}

// all asks for every place, in the order of their names, so that a run is the same as the one before as far as it can
// be.
func (r *run) all(ctx context.Context) {
	queue := make(chan []*place)
	var workers sync.WaitGroup
	for range min(cmp.Or(r.Parallel, parallel), len(r.places)) {
		workers.Go(func() {
			for ps := range queue {
				r.key(ctx, ps)
			}
		})
	}
	for _, ps := range r.keys() {
		queue <- ps
	}
	close(queue)
	workers.Wait()
}

// keys puts the properties of one key together.
func (r *run) keys() [][]*place {
	var out [][]*place
	at := map[string]int{}
	for _, p := range r.sortedPlaces() {
		whole := p.ref
		whole.Property = ""
		i, known := at[whole.ID()]
		if !known {
			i = len(out)
			at[whole.ID()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	return out
}

// key asks for the properties of one key: a version is that of all, and so is an error, but that a property is not
// there.
func (r *run) key(ctx context.Context, ps []*place) {
	first := ps[0]
	first.answer, first.err = r.one(ctx, first)
	for _, p := range ps[1:] {
		if first.answer.Digest != "" || errors.Is(first.err, sources.ErrNoProperty) {
			p.answer, p.err = r.one(ctx, p)
			continue
		}
		p.answer, p.err = first.answer, first.err
	}
}

func (r *run) sortedPlaces() []*place {
	out := make([]*place, 0, len(r.places))
	for _, p := range r.places {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *place) int { return strings.Compare(a.ref.ID(), b.ref.ID()) })
	return out
}

// issue is an error that is reported, with the number of those that it stands for, too.
type issue struct {
	err     error
	failure *sources.Failure // the same; nil where it is another
	more    int
}

// failures joins what went wrong. What was not asked for is reported once for each store: with the store's own issue
// where nobody may or can ask it, which is no failure of the store.
func (r *run) failures() error {
	var all []*issue
	unasked := map[*store]*issue{}
	for _, p := range r.sortedPlaces() {
		if p.err == nil {
			continue
		}
		t := &issue{err: p.err}
		if p.store.err != nil {
			t.err = p.store.err // in our own words: nobody else has said any yet
		}
		var f *sources.Failure
		if errors.As(t.err, &f) {
			own := *f // a client may return one failure to several
			own.Ref = p.ref
			t.failure = &own
		}
		if p.store.err != nil || t.failure != nil &&
			(t.failure.Class == sources.GivenUp || t.failure.Class == sources.NoIdentity) {
			if first := unasked[p.store]; first != nil {
				first.more++
				continue
			}
			unasked[p.store] = t
		}
		all = append(all, t)
	}
	errs := make([]error, len(all))
	for i, t := range all {
		errs[i] = t.report()
	}
	return errors.Join(errs...)
}

// report returns the error as it is reported.
func (t *issue) report() error {
	f := t.failure
	switch {
	case f == nil:
		return t.err
	case t.more == 0:
	case f.Status == "":
		f.Status = fmt.Sprintf("nor %d more of this store", t.more)
	default:
		f.Status += fmt.Sprintf("; nor is this store asked for %d more", t.more)
	}
	return f.Diag()
}
