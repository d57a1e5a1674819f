package app

// Origin returns where the application was found.
func (a *Application) Origin() Origin { return a.spec.Origin }

// WithOrigin returns the application with another origin.
func (a *Application) WithOrigin(o Origin) *Application {
	return a.with(func(s *Spec) { s.Origin = o })
}
