package pipeline

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/rendercache"
)

// Derivation is a function of an application, its result and its files, which it reads as the request of the
// application says. What it returns is cached beside the result, and its name says all else that it follows from.
type Derivation[T any] struct {
	Name string
	// Of returns false where the same may come to something else in another run.
	Of func(ctx context.Context, a *app.Application, result *Result) (value T, isStable bool, err error)
}

// derived is an entry with what a derivation returned.
type derived struct {
	// Asked is what the derivation asked the files besides what led to the result, and Answers the digest of the answers.
	Asked   []byte
	Answers []byte
	Value   []byte // encoded
}

// Derive returns what a derivation comes to, which an earlier run may have stored. It takes no part in what is to be
// reported of the cache: see Rendered.Damaged.
func Derive[T any](ctx context.Context, a *app.Application, r *Rendered, d Derivation[T]) (value T, err error) {
	at := r.storedAt()
	if at == nil {
		result, err := r.undamaged()
		if err != nil {
			return value, err
		}
		value, _, err = d.Of(ctx, a, result)
		return value, err
	}
	name := at.cache.Name(bytes.Join([][]byte{[]byte("derived"), []byte(d.Name), at.name[:]}, []byte("\n")))
	if text, ok := r.derivedAt(a, at, name); ok {
		if value, err = rendercache.Decode[T](text); err == nil {
			return value, nil
		}
		r.reportDamage(a)
	}
	result, err := r.undamaged()
	if err != nil {
		return value, err
	}
	seen := watchFiles(at.cache, a)
	value, isStable, err := d.Of(ctx, withFiles(a, seen.recorder), result)
	at.cache.Rendered(time.Since(seen.begun))
	if err != nil && ctx.Err() == nil && a.Request().Files == nil { // the disk has other words
		value, _, err = d.Of(ctx, a, result)
		return value, err
	}
	if err == nil && isStable && ctx.Err() == nil && result.origin != nil && result.origin.name == at.name {
		if text, err := rendercache.Encode(value); err == nil {
			at.putDerived(a, name, text, seen)
		}
	}
	return value, err
}

// undamaged returns the result without what is to be reported of the cache.
func (r *Rendered) undamaged() (*Result, error) {
	result, err := r.Result()
	if err != nil || len(result.damaged) == 0 {
		return result, err
	}
	out := *result
	out.damaged = nil
	return &out, nil
}

// derivedAt returns the value of an entry; false where there is none, or the files answer otherwise by now.
func (r *Rendered) derivedAt(a *app.Application, at *storedAt, name rendercache.Name) ([]byte, bool) {
	text, err := at.cache.Get(name)
	if errors.Is(err, rendercache.ErrDamaged) {
		r.reportDamage(a)
	}
	if text == nil || err != nil {
		return nil, false
	}
	entry, err := rendercache.Decode[derived](text)
	if err != nil {
		r.reportDamage(a)
		return nil, false
	}
	questions, rest, err := files.ParseQuestions(entry.Asked)
	if err != nil || len(rest) > 0 {
		r.reportDamage(a)
		return nil, false
	}
	answers := questions.Ask(at.system(a))
	return entry.Value, bytes.Equal(answers[:], entry.Answers)
}

// putDerived stores a value that follows from the result and what the files answered, where these answer so, and as
// they did when the result was looked up.
func (s *storedAt) putDerived(a *app.Application, name rendercache.Name, value []byte, seen watched) {
	more, ok := s.more(a, seen)
	if !ok {
		return
	}
	answers := more.Digest()
	entry := derived{Asked: more.Questions().Append(nil), Answers: answers[:], Value: value}
	if text, err := rendercache.Encode(entry); err == nil {
		s.cache.Put(name, text)
	}
}

// more returns what was asked besides what led to the result; false where the files do not answer as they did.
func (s *storedAt) more(a *app.Application, seen watched) (out files.Record, ok bool) {
	questions, rest, err := files.ParseQuestions(s.asked)
	if err != nil || len(rest) > 0 {
		return nil, false
	}
	_, isProven := seen.holds()
	isProven = isProven && len(s.proof) > 0 && seen.prover.HoldsStill(s.proof)
	known := make(map[files.Question]files.Digest, len(questions))
	if isProven {
		for _, q := range questions {
			known[q] = files.Digest{}
		}
	} else {
		now := questions.Record(s.system(a))
		if now.Digest() != s.answers {
			return nil, false
		}
		for _, one := range now {
			known[one.Question] = one.Digest
		}
	}
	for _, one := range seen.recorder.Record() {
		switch answer, is := known[one.Question]; {
		case !is:
			out = append(out, one)
		case !isProven && answer != one.Digest:
			return nil, false
		}
	}
	return out, isProven || out.Holds(s.system(a))
}

// system returns where the files of an application are.
func (s *storedAt) system(a *app.Application) files.System {
	if system := a.Request().Files; system != nil {
		return system
	}
	return s.cache.Disk()
}

// reportDamage has it reported that an entry was damaged.
func (r *Rendered) reportDamage(a *app.Application) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.damaged) == 0 {
		r.damaged = []diag.Finding{damageOf(a)}
	}
}

// Damaged returns what is to be reported of the cache.
func (r *Rendered) Damaged() []diag.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result != nil && len(r.result.damaged) > 0 {
		return r.result.damaged
	}
	return r.damaged
}
