package app

import "github.com/rollstamp/rollstamp/diag"

// Origin is where an application of a run was found: the zero value is a path that the user wrote.
type Origin struct {
	Pos    diag.Position // of the object or entry that describes it
	Set    string        // the ApplicationSet that generated it, as errors name objects; "" for none
	Parent string        // the application of the run in whose render it was found; "" for none
}

// Origin returns where the application was found.
func (a *Application) Origin() Origin { return a.spec.Origin }

// WithOrigin returns the application with another origin.
func (a *Application) WithOrigin(o Origin) *Application {
	return a.with(func(s *Spec) { s.Origin = o })
}
