// Package app describes an application as a value: what it is, where its files are, what is in force for it, and where
// its manifests go.
package app

import (
	"context"
	"slices"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Spec is all that an application is made of. New completes what follows from the settings.
type Spec struct {
	Name    string          // unique among the applications of a run, and the same in the next one
	Kind    render.Kind     // KindAuto: what its files are
	Request *render.Request // its files, namespace and the options of its engine; nil is the zero value
	Stream  *render.Output  // manifests that were rendered already; no engine runs then
	Engines render.Engines  // the engines that may render it
	// Transforms change what the engine rendered, in this order, before anything is read from it.
	Transforms []render.Transform
	Settings   *config.Settings // nil for the defaults; Request then has the permissions
	Stamping   *Stamping        // nil: it is rendered only
	Findings   []diag.Finding   // about the settings, and about how the application was found
	Timeout    time.Duration    // for the whole run of the application; 0 is no limit
	File       string           // where its manifests are written; "" is standard output
	// Renders has the results of earlier runs of the engines; nil for none.
	Renders *rendercache.View
	// Earlier reads the manifests that were rendered of it before; nil where nothing is known of them.
	Earlier func(context.Context) (Earlier, error)
	// EarlierShared: they are those of other applications, too.
	EarlierShared bool
	Origin        Origin

	Destination Destination
	Leaves      Leaves
	DependsOn   []string // names of the applications that are applied, and ready, before it
	Followed    []Followed
	ValuesRead  Objects // ConfigMaps and Secrets in its cluster that applications of the run are rendered with
	Alike       *Alike  // what it has in common with others; nil where that is not known
}

// Followed is a repository at a revision that moves, by the name of its line in a lock, and the commit at which it is
// read.
type Followed struct{ Name, Commit string }

// Object names an object in a cluster.
type Object struct{ Kind, Namespace, Name string }

// Objects is a set of them by the names that messages have. Applications share it, and nothing changes it.
type Objects map[string]bool

// Application is one application of a run. It does not change: each With method returns another one.
type Application struct{ spec Spec }

// New returns the application of a spec. What the settings permit, and the cache folder, hold whatever the request
// contains.
func New(spec Spec) *Application {
	if spec.Request == nil {
		return complete(spec, render.Request{})
	}
	return complete(spec, *spec.Request)
}

// complete is New for a spec whose request is given beside it.
func complete(spec Spec, request render.Request) *Application {
	if spec.Settings == nil {
		spec.Settings = config.New()
	} else {
		request = withPermissions(request, spec.Settings)
	}
	spec.Request = &request
	return &Application{spec}
}

// withPermissions returns a request with the permissions of the settings: they may come from flags, the environment or
// the operator, and the configuration file can take them away.
func withPermissions(r render.Request, s *config.Settings) render.Request {
	r.Allow, r.CacheDir = s.Permissions(), s.CacheDir.Value
	r.Kustomize.EnableExec, r.Kustomize.EnableAlphaPlugin = s.ExecPlugins.Value, s.ExecPlugins.Value
	return r
}

// Name returns the name that the application has in reports and among the others of its run.
func (a *Application) Name() string { return a.spec.Name }

// Path returns where its files are, as the user wrote it.
func (a *Application) Path() string { return a.spec.Request.Path }

// Kind returns what it is to be rendered as; KindAuto leaves that to its files.
func (a *Application) Kind() render.Kind { return a.spec.Kind }

// Request returns what its engine is asked.
func (a *Application) Request() render.Request { return *a.spec.Request }

// Stream returns the manifests of one that was rendered already, else nil.
func (a *Application) Stream() *render.Output { return a.spec.Stream }

// Engine returns the engine for a kind, or nil.
func (a *Application) Engine(kind render.Kind) render.Engine { return a.spec.Engines[kind] }

// Transforms returns what changes its render before it is read or printed.
func (a *Application) Transforms() []render.Transform { return a.spec.Transforms }

// DependsOn returns the names of the applications that are applied, and ready, before it.
func (a *Application) DependsOn() []string { return a.spec.DependsOn }

// Followed returns the repositories at revisions that move which the application reads.
func (a *Application) Followed() []Followed { return a.spec.Followed }

// ValuesRead returns the ConfigMaps and Secrets in its cluster that applications of the run are rendered with.
func (a *Application) ValuesRead() Objects { return a.spec.ValuesRead }

// Settings returns what is in force for it, which is never nil.
func (a *Application) Settings() *config.Settings { return a.spec.Settings }

// Stamping returns how it is stamped; nil where it is rendered only.
func (a *Application) Stamping() *Stamping { return a.spec.Stamping }

// Findings returns what is to be reported of the settings and of how the application was found.
func (a *Application) Findings() []diag.Finding { return a.spec.Findings }

// Timeout returns how long its run may take; 0 is no limit.
func (a *Application) Timeout() time.Duration { return a.spec.Timeout }

// File returns the file that its manifests are written to; "" is standard output.
func (a *Application) File() string { return a.spec.File }

// Earlier returns the manifests that were rendered of it before.
func (a *Application) Earlier(ctx context.Context) (Earlier, error) {
	if a.spec.Earlier == nil {
		return Earlier{}, nil
	}
	return a.spec.Earlier(ctx)
}

// Earlier is what an application rendered to before, the youngest first: empty where nothing is known of it.
type Earlier struct {
	Text     []byte
	Findings []diag.Finding // about what is not known
}

// SharesEarlier reports whether what was rendered before is that of other applications, too.
func (a *Application) SharesEarlier() bool { return a.spec.EarlierShared }

// Renders returns where results of earlier runs are cached; nil for nowhere.
func (a *Application) Renders() *rendercache.View { return a.spec.Renders }

// Fails reports whether one of the findings is as severe as what fails its run.
func (a *Application) Fails(findings []diag.Finding) bool {
	failOn := a.spec.Settings.FailOn.Value
	return slices.ContainsFunc(findings, func(f diag.Finding) bool { return failOn.IsReached(f.Severity) })
}

// Origin is where an application of a run was found: the zero value is a path that the user wrote.
type Origin struct {
	Pos    diag.Position // of the object or entry that describes it
	Set    string        // the ApplicationSet that generated it, as errors name objects; "" for none
	Parent string        // the application of the run in whose render it was found; "" for none
	// Declared is the object of an engine that describes it, as lines of locks name it.
	Declared lock.Declared
	// Suspended: its engine applies no change of it until somebody resumes it.
	Suspended bool
	// Fetched: what is rendered lies in no file on this machine, as a chart of a registry does.
	Fetched bool
	// Replacing are the options by which its engine replaces objects, or deletes and creates them, as its object has them;
	// "" for none.
	Replacing string
	Applier   Applier // what applies its objects
}

// Applier is a program of which it is known how it applies objects; "" is any.
type Applier string

// KustomizeController knows no hooks, and no annotations of other engines.
const KustomizeController Applier = "kustomize-controller"

// Stamping is what stamping an application needs beyond its settings. Nothing of it comes from the rendered tree.
type Stamping struct {
	Key       *hashing.Key            // in its domain; nil for plain digests
	Resolver  sources.VersionResolver // the versions that the lock or the stores have; nil for the policy spec
	Decrypter sources.Decrypter       // decrypts what is in Git; nil where ciphertexts are digest input
	Context   Context                 // renders what the settings have objects looked up in; nil renders none
	Locks     *lock.Cache             // the locks that were read; nil retains none
	// Rename returns the name that an object will have to which another one refers by a name as it is written; nil where
	// names are as they are written.
	Rename func(by manifest.Object, kind, name string) string
	// Watch sees each document once, before anything is read from it; its error, with its line in the text, ends the
	// run. It must not retain a document. Nil watches nothing.
	Watch func(*manifest.Document) error
	// KeepNames has no name of an object carry a digest, as what is adopted keeps its name.
	KeepNames bool
	// ForLock reports that the run is to write the lock: what renders refuse of one, as a merge leaves it, is no error.
	ForLock bool
	// ForReport reports that nothing is written: what the API server would refuse of configuration is a finding there,
	// and what consumes it has no digest of it.
	ForReport bool
	// ForOutput reports that the run writes manifests that are applied: what an earlier configuration added to the text
	// is taken out where this one adds nothing. Views of manifests leave it there.
	ForOutput bool
	// KeepUncompared has keyed stamps stay that the run cannot compare, as where files are written in place.
	KeepUncompared bool
	// Retain reports that the result retains what was read, to be looked at under other settings.
	Retain bool
}

// ToReport returns the stamping of a run that writes nothing.
func (s Stamping) ToReport() Stamping {
	s.ForReport = true
	return s
}

// ToOutput returns the stamping of a run that writes manifests.
func (s Stamping) ToOutput() Stamping {
	s.ForOutput = true
	return s
}

// InPlace returns the stamping of a run that writes stamps into the files that it reads.
func (s Stamping) InPlace() Stamping {
	s.KeepUncompared = true
	return s
}

// ToLock returns the stamping of a run that writes the lock.
func (s Stamping) ToLock() Stamping {
	s.ForLock = true
	return s
}

// ToRetain returns the stamping of a run whose result is looked at under other settings.
func (s Stamping) ToRetain() Stamping {
	s.Retain = true
	return s
}

// ToAdopt returns the stamping by which digests are made where names that are to carry them stay.
func (s Stamping) ToAdopt() Stamping {
	s.KeepNames = true
	return s
}

// Context renders what applications have objects looked up in.
type Context interface {
	// Outputs returns the renders that the settings of an application name. The Namespace of each is where its objects
	// lie that name none, "" where that is not known. They may be shared: nobody changes them.
	Outputs(ctx context.Context, a *Application) ([]*render.Output, error)
}

// WithResolver returns the stamping with versions from another resolver.
func (s Stamping) WithResolver(r sources.VersionResolver) Stamping {
	s.Resolver = r
	return s
}

// WithRename returns the stamping for references that a host changes later.
func (s Stamping) WithRename(rename func(by manifest.Object, kind, name string) string) Stamping {
	s.Rename = rename
	return s
}

// WithWatch returns the stamping with a watch over the documents.
func (s Stamping) WithWatch(watch func(*manifest.Document) error) Stamping {
	s.Watch = watch
	return s
}

// KeyOnly returns the stamping without anything that is asked for a content: what a resolver or decrypter answers is
// not known then.
func (s Stamping) KeyOnly() Stamping { return Stamping{Key: s.Key, Context: s.Context, Watch: s.Watch} }
