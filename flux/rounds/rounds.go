// Package rounds renders Kustomizations and HelmReleases as Flux's controllers do, and in further rounds those that are
// found in what was rendered.
package rounds

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/workspace"
)

// Options are where sources and values are found.
type Options struct {
	At           app.Place
	Paths        []string                // that the user names
	Parts        []string                // those of them that others of them lead to
	Root         string                  // what spec.path starts from in the repository itself; "" looks for its top
	Sources      []string                // of others: KIND/NAMESPACE/NAME=DIR
	ForElsewhere bool                    // Sources are for objects of the repository, too, that are no part of the run
	Repositories *workspace.Repositories // for sources that are not given, and for charts
	Vars         *values.File            // nil for none
	Missing      Missing
	Progress     fleet.Progress // nil shows nothing
	// WithoutStamps reports whether an object, as errors name it, is built without the patches that set nothing but
	// stamps. Nil builds each as it is.
	WithoutStamps func(object string) bool
	Prefix        hashing.Prefix // of the keys of stamps
	Parsed        objects.Cache  // objects of files that were read before; nil for none
}

// Missing is what happens where the values of an object are not known.
type Missing string

// The choices.
const (
	MissingFails Missing = "fail"
	MissingKept  Missing = "keep"  // it is reported, and variables stay as they are
	MissingEmpty Missing = "empty" // a variable is empty, as the controllers before Flux 2.9 have it; all else fails
)

// Builder makes applications, with the settings that are in force where they lie.
type Builder interface {
	// Surroundings returns what values are looked up in for an object that lies in a file.
	Surroundings(ctx context.Context, at app.Place, path string) (values.Around, error)
	// Application returns the application of a draft.
	Application(ctx context.Context, d Draft) (*app.Application, error)
}

// Draft is an application whose settings are not known yet.
type Draft struct {
	Of     string       // the object that describes it, as errors name objects
	Place  app.Place    // where Folder lies
	Folder string       // whose settings count
	Files  files.System // where it is rendered from
	Path   string       // in these
	// Complete returns the render, from what settings and flags say of it.
	Complete func(base render.Request, in Surroundings, s *config.Settings) (Rendering, error)
}

// Surroundings are what an application is rendered with.
type Surroundings struct {
	Engines   render.Engines
	Decrypter sources.FileDecrypter // nil where files stay as they are
}

// Rendering is how a draft is rendered.
type Rendering struct {
	Kind       render.Kind
	Engine     render.Engine // nil is that of the kind
	Decrypts   bool          // the engine decrypts files that it reads: nothing of that is cached
	Request    render.Request
	Transforms []render.Transform
	Namespace  string // of objects that name none; "" where that is not known
}
