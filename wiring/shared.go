package wiring

import (
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
)

// shared is what applications of a run have in common whose settings differ in their place and namespace alone: it is
// made for the first of them. The zero value is that of one application.
type shared struct {
	settings *config.Settings // of one of them
	alike    *app.Alike       // of those without a rule; nil for one application

	engines once[render.Engines]
	stamped once[common]
}

// once is a value that is made once.
type once[T any] struct {
	sync.Once
	value T
}

func (o *once[T]) get(of func() T) T {
	o.Do(func() { o.value = of() })
	return o.value
}
