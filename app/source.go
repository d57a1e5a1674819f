package app

import "context"

// Source is where the applications of a run come from: paths of a work tree or of a revision, the objects of an engine,
// entries of a file. A run takes one, whichever it is.
type Source interface {
	// Names returns the names of its applications, each once, in the order of the output.
	Names(ctx context.Context) ([]string, error)

	// Application returns the one of a name. It may be called for several names at once, so that what preparing them
	// costs is shared, and an error is that of this application alone.
	Application(ctx context.Context, name string) (*Application, error)
}

// ToReport returns the source with its applications for a run that writes nothing.
func ToReport(s Source) Source { return changed{s, (*Application).ToReport} }

// ToRetain returns the source with its applications for a run whose results are looked at under other settings.
func ToRetain(s Source) Source { return changed{s, (*Application).ToRetain} }

// changed is a source with another form of its applications.
type changed struct {
	Source
	change func(*Application) *Application
}

// Application is Source's, changed.
func (c changed) Application(ctx context.Context, name string) (*Application, error) {
	a, err := c.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.change(a), nil
}

// Described is a source whose applications the objects of an engine describe. What one is rendered from is more than
// its folder, so where two states of the same files are compared the source itself says what changed.
type Described interface {
	Source

	// Reuse has the source take over the applications of another state of its files, where they are described as they
	// are there and same reports that the files that their render read are the same. It is called before Names, for
	// each source of the other state.
	Reuse(of Described, same func(a *Application, read []string) bool)

	// IsUnchanged reports whether an application was taken over; or, of one that fails, whether it is described as it is
	// in the other state, with an unchanged folder.
	IsUnchanged(name string) bool

	// Folder returns the folder of an application, also of one that fails; "" where it is not known.
	Folder(name string) string

	// Objects returns the objects that describe an application, as errors name objects.
	Objects(name string) []string

	// Files returns the files with the objects.
	Files() []string
}

// Taker is a source of which applications are rendered with values of ConfigMaps and Secrets in their cluster.
type Taker interface {
	// Takes returns the objects that an application takes values from, also of one that fails.
	Takes(name string) []Object
}

// Namer is a source that knows what the descriptions of its applications name.
type Namer interface {
	// Naming returns the applications, sorted, whose descriptions name an object of their namespace; and those that failed
	// and whose files have its name, but for the file that it lies in itself.
	Naming(o Object, file string) []string
}

// NoneError is the error of a source that has no application.
type NoneError struct{ Err error }

// Error returns the text of what it wraps.
func (e *NoneError) Error() string { return e.Err.Error() }

// Unwrap returns what it wraps.
func (e *NoneError) Unwrap() error { return e.Err }
