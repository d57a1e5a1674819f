package pipeline

import (
	"crypto/sha256"
	"reflect"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/stamp"
)

// mayCache reports whether the result of an application follows from its files, its settings and the lock: it asks
// nobody, runs no program, and nothing is done with it that only this run knows.
func mayCache(a *app.Application) bool {
	r, s := a.Request(), a.Settings()
	switch {
	case a.Stream() != nil, len(a.Transforms()) > 0,
		r.Once, // what is random in it stays unknown
		r.Allow.Network, r.Allow.ExecPlugins, r.Helm.EnableDNS, r.Kustomize.TraceOf != nil,
		slices.ContainsFunc(r.Helm.Values, isHidden), slices.Contains(r.Helm.ValuesFiles, "-"),
		r.Helm.Version == config.Helm4, s.Helm.Value == config.Helm4, // another program renders
		s.HasAdditions():
		return false
	}
	how := a.Stamping()
	return how == nil || how.Decrypter == nil && how.Rename == nil && len(s.Context.Value) == 0
}

// isHidden reports whether there is a value among others that is never shown.
func isHidden(v render.Values) bool { return !v.Hidden.IsEmpty() }

// isStable reports whether a result is the same in each run over the same files: nothing of it is random, or was looked
// up elsewhere, and nothing in it is hidden.
func isStable(a *app.Application, r *Result) bool {
	out := r.Output
	switch {
	case out.IsEdited(), out.SecondRender != nil, out.Context != nil, out.ContextErr != nil, out.IsRelease,
		len(out.Hidden) > 0, len(out.Derived()) > 0, len(out.Decrypted) > 0:
		return false
	}
	// What is marked goes from manifests that are written, and stays in views of them.
	return a.Stamping() == nil || stamp.Keeps(a.Settings(), out.Text) == 0 && !shape.IsMarked(out.Text)
}

// refuses reports whether what the API server would refuse has a stamped workload go without a digest: a finding where
// nothing is written, and an error else.
func refuses(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Workloads, func(w plan.Workload) bool {
		return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return r.Refused })
	})
}

// takes reports whether a run of an application may have a result from the cache: what another one only reported may be
// an error here.
func takes(a *app.Application, s *Summary) bool {
	return !s.Refuses || a.Stamping() == nil || a.Stamping().ForReport
}

// identify returns what decides which files an application's run reads, and all else that its result follows from, but
// for the files and the lock. Nothing else that is named begins like it. The error is that something of it cannot be
// compared.
func identify(a *app.Application) ([]byte, error) {
	alike, err := a.Alike().Identity(func() ([]byte, error) { return identifySettings(a) })
	if err != nil {
		return nil, err
	}
	id, r := newIdentity(), a.Request()
	id.Grow(1 << 10) // most are shorter
	id.Add("reads")
	r.CacheDir, r.RegistryConfig = "", "" // nothing is fetched
	id.Add(a.Renders().Run(), alike, a.Settings().Place(), a.Name(), string(a.Kind()), a.Origin(), r)
	if how := a.Stamping(); how != nil {
		// Whether something is written counts in isStable and takes alone.
		id.Add(how.KeepNames, how.ForLock, how.KeepUncompared)
	}
	return id.Bytes()
}

// identifySettings returns what identifies the settings of an application, less their place, and the key that it is
// stamped with: app.Alike.
func identifySettings(a *app.Application) ([]byte, error) {
	id, s := newIdentity(), a.Settings().At(config.Place{}).Clone()
	s.CacheDir = config.Setting[string]{}                                     // nothing is fetched
	s.RenderCache, s.Color = config.Setting[string]{}, config.Setting[bool]{} // nor is the result another one
	id.Add(s)
	if how := a.Stamping(); how != nil {
		id.Add(hashing.StoreKeyID(how.Key))
	}
	text, err := id.Bytes()
	sum := sha256.Sum256(text)
	return sum[:], err
}

// newIdentity returns an identity without what is read and what is secret. The hash key is identified by itself.
func newIdentity() *rendercache.Identity { return rendercache.NewIdentity(unidentified...) }

var unidentified = []reflect.Type{reflect.TypeFor[files.System](), reflect.TypeFor[*config.Roots](),
	reflect.TypeFor[redact.Secret]()}

// lockDecisions returns what people decided about an application's workloads, as the lock that is in force holds it.
func lockDecisions(a *app.Application) ([]lock.Decision, error) {
	if a.Settings().Place().Dir == "" {
		return nil, nil
	}
	read := a.Stamping().Locks.Nearest
	if a.Stamping().ForLock {
		read = a.Stamping().Locks.NearestToWrite
	}
	file, err := read(a.Settings().Place())
	if err != nil || file == nil {
		return nil, err
	}
	return file.Decisions(Applications(a, file.Path(), file)...), nil
}
