package stamp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// ask asks once for the versions of all that stamped workloads consume and no manifest holds.
func (r *Resolved) ask(ctx context.Context, opts Options) error {
	// looking at the others here would be without effect
	demands := r.consumedObjects(opts, r.in.index.ReadsStores)
	if err := r.checkDemands(demands); err != nil {
		return err
	}
	questions := sources.NewQuestions(r.questions(demands))
	var got []sources.Answer
	if refs := questions.Refs(); len(refs) > 0 {
		var err error
		if got, r.reported, err = opts.Resolver.Resolve(ctx, refs); err != nil {
			return r.attribute(err, demands)
		}
		if err := checkAnswers(refs, got); err != nil {
			return err
		}
		r.asked = refs
	}
	answers := sources.NewAnswers(questions, got)
	r.contents = r.contents.WithAnswers(answers)
	var cursor sources.Cursor
	for i := range r.templates {
		c := &r.templates[i]
		c.named = slices.Clone(c.named)
		for k := range c.named {
			if !c.named[k].Answer.ByManifest {
				c.named[k].Answer = answers.Of(&c.named[k].Ref, &cursor)
			}
		}
	}
	return nil
}

// checkDemands returns an error, before stores are asked, for what is no fault of theirs: objects that name what to ask
// and that would not be accepted, or that name nothing that can be asked.
func (r *Resolved) checkDemands(demands []demand) error {
	seen := map[*objects.Producer]bool{}
	for _, d := range demands {
		for _, m := range d.object.Producers() {
			if seen[m] {
				continue
			}
			seen[m] = true
			for _, v := range m.Problems() {
				if v.BlocksAsking || !m.Context && !v.Tolerated {
					r.errs.add(r.in.invalidError(d.workload, m.String(), m.Context, v, refusedHint(d.object)))
				}
			}
		}
	}
	return errors.Join(r.errs...)
}

// questions returns the places in stores that versions are asked of.
func (r *Resolved) questions(demands []demand) []sources.Ref {
	n := 0
	for _, d := range demands {
		n += d.object.Places()
	}
	out := make([]sources.Ref, 0, n)
	var memory objects.Content
	for i, d := range demands {
		if n := len(out); n == cap(out) && d.object.Places() == 0 {
			out = slices.Grow(out, expectedTotal(n, i, len(demands))-n)
		}
		r.contents.AppendQuestions(&out, d.object, &memory)
	}
	for c := range r.stampedTemplates() {
		for i := range c.named {
			if at := &c.named[i]; !at.Answer.ByManifest && !sources.IsPinned(&at.Ref) {
				out = append(out, at.Ref)
			}
		}
	}
	return out
}

// expectedTotal returns how many places there may be where the first objects of so many have n of them: there can be
// tens of thousands, which are copied each time that there is no memory for more.
func expectedTotal(n, objects, all int) int {
	const most = 8 // times n, because other objects may have far fewer
	return min(most*n, n/max(1, objects)*all+n)
}

func checkAnswers(questions []sources.Ref, answers []sources.Answer) error {
	if len(answers) != len(questions) {
		return fmt.Errorf("ask for versions: %d answers to %d questions", len(answers), len(questions))
	}
	for i := range answers {
		if answers[i].Version == "" && answers[i].Digest == "" && !answers[i].ByManifest {
			return fmt.Errorf("ask for versions: no answer for %s", questions[i].ID())
		}
	}
	return nil
}

// referrer is an object that refers to a store.
type referrer struct {
	object string
	pos    diag.Position // none in the context
	offset int
}

// attribute adds to errors about places in stores the object that refers there, and its position.
func (r *Resolved) attribute(err error, demands []demand) error {
	referrers := r.referrers(demands)
	return diag.MapErrors(err, func(one error) error {
		var e *diag.Error
		var f *sources.Failure
		if !errors.As(one, &e) || !errors.As(one, &f) || e.Object != "" {
			return one
		}
		by, known := referrers[f.Ref.ID()]
		if !known {
			return one
		}
		located := *e
		located.Object = by.object
		if located.Pos == (diag.Position{}) {
			located.Pos = by.pos
		}
		return &located
	})
}

// referrers returns the first object that refers to each place in a store, by the ID of that. Placeholders count
// before producers, and these before what pods name themselves.
func (r *Resolved) referrers(demands []demand) map[string]referrer {
	producers, holders := map[string]referrer{}, map[string]referrer{}
	add := func(to map[string]referrer, id, object string, offset int, inContext bool) {
		if old, known := to[id]; known && old.offset <= offset {
			return
		}
		by := referrer{object: object, offset: offset}
		if !inContext {
			by.pos = r.in.positions.At(offset)
		}
		to[id] = by
	}
	var memory objects.Content
	for _, d := range demands {
		r.contents.ReadRefs(d.object, &memory)
		for _, a := range memory.RemoteRefs {
			if id := a.Ref.ID(); a.Producer == nil {
				add(holders, id, d.object.String(), d.object.Offset, d.object.Context())
			} else {
				add(producers, id, a.Producer.String(), a.Producer.Offset, a.Producer.Context)
			}
		}
	}
	for id, by := range holders {
		producers[id] = by
	}
	for c := range r.stampedTemplates() {
		for _, a := range c.named {
			if id := a.Ref.ID(); producers[id].object == "" {
				producers[id] = referrer{object: c.workload.String(), pos: c.workload.position}
			}
		}
	}
	return producers
}
