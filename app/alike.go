package app

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/rendercache"
)

// Alike is what applications have in common whose settings differ in their place alone, and that are stamped with one
// key. It may be used from several goroutines.
type Alike struct {
	once sync.Once
	id   []byte
	err  error
}

// Identity returns what identify returns for the settings and the key of such an application. It is called for one of
// them; nil remembers nothing.
func (l *Alike) Identity(identify func() ([]byte, error)) ([]byte, error) {
	if l == nil {
		return identify()
	}
	l.once.Do(func() { l.id, l.err = identify() })
	return l.id, l.err
}

// Alike returns what the application has in common with others; nil where that is not known.
func (a *Application) Alike() *Alike { return a.spec.Alike }

// Stamped is how an application of a run is stamped, and what the run has for that.
type Stamped struct {
	Stamping
	Findings []diag.Finding    // about its settings
	Renders  *rendercache.View // the results of earlier runs; nil for none
	Alike    *Alike            // what it has in common with others under these settings; nil where that is not known
}

// WithStamped returns the application stamped as its run does it.
func (a *Application) WithStamped(in Stamped) *Application {
	return a.with(func(s *Spec) {
		s.Stamping, s.Renders, s.Alike = &in.Stamping, in.Renders, in.Alike
		s.Findings = slices.Concat(s.Findings, in.Findings)
	})
}
