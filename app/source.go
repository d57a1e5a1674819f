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
