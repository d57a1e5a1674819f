package stamp

import (
	"github.com/rollstamp/rollstamp/plan"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// refresh writes the digest of all that an object makes into the object's own annotations, where its operator takes a change of these
// for a reason to fetch at once: pods that restart in the same sync would otherwise find what was fetched before.
//
// Only what stamped workloads consume has one, and only where something beside the object's own text shapes the content: a change of
// that text is reason enough for the operator.
func (w *work) refresh() {
	for _, m := range w.index.Producers() {
		path := m.Refresh()
		if path == nil || w.rewritten(m.Offset) {
			continue
		}
		o := w.consumed[m]
		name := w.renamings[m]
		if o != nil && w.settings.Refresh.Value == config.RefreshPin {
			w.pin(m, o)
		}
		if w.settings.Refresh.Value == config.RefreshOff {
			o = nil
		}
		if name != nil && name.digest != "" {
			o = name.object
		}
		if o == nil && !w.stamped[m] {
			continue
		}
		s, err := splice.Locate(m.Node(), path, claim)
		var wanted []splice.Entry
		if o != nil {
			if err != nil {
				w.find(diag.New(diag.BadTemplate, m.String(), "no annotation can be written there that makes the operator fetch anew"), m.Offset)
				continue
			}
			value := ""
			if name != nil {
				value = name.value
			}
			if value == "" {
				value = w.digest(o, o.Content(), scope{all: true})
			}
			wanted = []splice.Entry{{Key: hashing.Annotation(groupOf(o.Kind), o.Kind, o.Name), Value: value}}
			if name != nil && name.made {
				wanted = append(wanted, madeName)
			}
		}
		if err == nil {
			w.plan.edits = append(w.plan.edits, s.Edits(wanted, nil)...)
		}
	}
}

// pin writes the versions that the lock or the stores gave to where the object names none, so that its operator fetches exactly these.
func (w *work) pin(m *sources.Producer, o *sources.Object) {
	done := map[int]bool{}
	for _, a := range o.Content().RemoteRefs {
		if a.Producer != m || a.Answer.Version == "" || a.Ref.Version != "" || done[a.Node.Offset()] {
			continue
		}
		var s *splice.Slot
		text, ok := sources.Pin(a.Ref, a.Answer.Version)
		var err error
		if ok = ok && a.Node.Valid(); ok {
			s, err = splice.Locate(a.Node, nil, claim)
		}
		if !ok || err != nil {
			w.find(diag.New(diag.NotPinned, m.String(), "the version of "+a.Ref.ID()+" cannot be written into it"), m.Offset)
			continue
		}
		done[a.Node.Offset()] = true
		version := splice.Entry{Key: "version", Value: text, Quoted: true}
		w.plan.edits = append(w.plan.edits, s.Insert([]splice.Entry{version}))
	}
}

// rewritten reports whether a place lies in a document that is written again as a whole.
func (w *work) rewritten(offset int) bool {
	for _, d := range w.documents {
		if d.start <= offset && offset < d.end {
			return true
		}
	}
	return false
}

// made remembers what makes an object that a stamped workload consumes, and tells where its consumers would restart in vain.
func (w *work) made(wl *workload, r *plan.Reference, object *sources.Object, content *sources.Content, s scope, stamped bool) {
	for _, m := range object.Producers() {
		r.Producers = append(r.Producers, w.producer(m, content, s))
		if !stamped {
			continue
		}
		if content.Beyond && !m.Context {
			if w.consumed == nil {
				w.consumed = map[*sources.Producer]*sources.Object{}
			}
			w.consumed[m] = object
		}
		if name := w.renamings[m]; name != nil && name.digest != "" {
			continue // a Secret of another name is made in any case
		}
		if why := m.Stale(); why != "" {
			w.note(wl, r, m.Offset, diag.New(diag.NotRefreshed, m.String(), why))
		}
	}
}

// chain adds to the producers what is no object that makes another: what a tool copies, with what makes that, and what else puts values
// into the text of the object, or of the one that is copied.
func (w *work) chain(r *plan.Reference, object *sources.Object, content *sources.Content, s scope) {
	if r.Source == object.Kind+"/"+object.Name {
		r.Producers = append([]plan.Producer{w.copied(object)}, r.Producers...)
	}
	const most = 8 // copies of copies
	for range most {
		from := object.CopyOf()
		if from == nil {
			break
		}
		object = from
		r.Producers = append(r.Producers, w.copied(object))
		for _, m := range object.Producers() {
			r.Producers = append(r.Producers, w.producer(m, content, s))
		}
	}
	tool, places := object.FilledBy()
	if tool == "" || !content.Fetched && !slices.ContainsFunc(content.Pairs, func(p sources.Pair) bool { return p.StandIn && s.has(p.Key) }) {
		return
	}
	copied := w.copied(object)
	p := plan.Producer{Kind: tool, Context: object.Context()}.At(copied.Position())
	for _, a := range places {
		if s.has(a.Key) {
			p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: a.Ref.Version})
		}
	}
	r.Producers = append(r.Producers, p)
}

func (w *work) copied(object *sources.Object) plan.Producer {
	p := plan.Producer{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name, Context: object.Context(), Copied: true}
	if !p.Context && !object.IsProduced() {
		p = p.At(w.places.At(object.Offset))
	}
	return p
}

// producer is what the plan shows of a maker: where the keys that count come from.
func (w *work) producer(m *sources.Producer, content *sources.Content, s scope) plan.Producer {
	p := plan.Producer{Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, Context: m.Context}
	if !m.Context {
		p = p.At(w.places.At(m.Offset))
	}
	for _, a := range content.RemoteRefs {
		if a.Producer != m || !s.has(a.Key) && (a.Key != sources.Anything || !s.beyond(content)) {
			continue
		}
		p.Sources = append(p.Sources, plan.Source{Key: a.Key, Ref: a.Ref, Version: version(a)})
	}
	return p
}

// version is the one that was answered, or else the one that is asked for.
func version(a sources.RemoteRef) string {
	if a.Answer.Version != "" {
		return a.Answer.Version
	}
	return a.Ref.Version
}
