package stamp

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// blame gives errors about references to stores the object that refers there, and its place.
func (w *work) blame(err error) error {
	first := map[string]*sources.Maker{}
	for o := range w.consumption((*sources.Object).FromOutside) {
		for _, a := range o.Content().Asked {
			id := a.Ref.ID()
			if m := first[id]; a.Maker != nil && (m == nil || a.Maker.Offset < m.Offset) {
				first[id] = a.Maker
			}
		}
	}
	return w.blamed(err, first)
}

func (w *work) blamed(err error, makers map[string]*sources.Maker) error {
	if many, joined := err.(interface{ Unwrap() []error }); joined {
		var out []error
		for _, one := range many.Unwrap() {
			out = append(out, w.blamed(one, makers))
		}
		return errors.Join(out...)
	}
	var e *diag.Error
	var f *sources.Failure
	if !errors.As(err, &e) || !errors.As(err, &f) || e.Object != "" {
		return err
	}
	m := makers[f.Ref.ID()]
	if m == nil {
		return err
	}
	placed := *e
	placed.Object = m.String()
	if !m.Context && placed.Pos == (diag.Position{}) {
		placed.Pos = w.places.at(m.Offset)
	}
	return &placed
}
