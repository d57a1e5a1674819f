package stamp

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// locateErrors returns errors about references to stores the object that refers there, and its place.
func (w *work) locateErrors(err error) error {
	makers := map[string]*sources.Producer{}
	holders := map[string]*sources.Object{} // of placeholders
	for o := range w.consumption((*sources.Object).ReadsStores) {
		for _, a := range o.RemoteRefs() {
			id := a.Ref.ID()
			if h := holders[id]; a.Producer == nil && (h == nil || o.Offset < h.Offset) {
				holders[id] = o
			}
			if m := makers[id]; a.Producer != nil && (m == nil || a.Producer.Offset < m.Offset) {
				makers[id] = a.Producer
			}
		}
	}
	first := map[string]referrer{}
	for id, m := range makers {
		r := referrer{object: m.String()}
		if !m.Context {
			r.pos = w.places.At(m.Offset)
		}
		first[id] = r
	}
	for id, o := range holders {
		r := referrer{object: o.String()}
		if !o.Context() {
			r.pos = w.places.At(o.Offset)
		}
		first[id] = r
	}
	for _, wl := range w.workloads {
		for _, t := range wl.templates {
			for _, a := range t.named {
				if id := a.Ref.ID(); w.isStamped(wl, t) && first[id].object == "" {
					first[id] = referrer{wl.name(), w.places.At(t.offset)}
				}
			}
		}
	}
	return diag.MapErrors(err, func(one error) error { return locateError(one, first) })
}

// referrer is an object that refers to a store.
type referrer struct {
	object string
	pos    diag.Position // none in the context
}

func locateError(err error, first map[string]referrer) error {
	var e *diag.Error
	var f *sources.Failure
	if !errors.As(err, &e) || !errors.As(err, &f) || e.Object != "" {
		return err
	}
	r, known := first[f.Ref.ID()]
	if !known {
		return err
	}
	placed := *e
	placed.Object = r.object
	if placed.Pos == (diag.Position{}) {
		placed.Pos = r.pos
	}
	return &placed
}
