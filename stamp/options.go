package stamp

import (
	"cmp"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Options are how to stamp. Nothing in them comes from the rendered tree but the Settings, which have been resolved.
type Options struct {
	Namespace string                  // of objects that name none; "" takes the render's, where it knows one
	Key       *hashing.Key            // in its domain; nil for plain digests
	Settings  *config.Settings        // nil for the defaults
	Resolver  sources.VersionResolver // resolves versions, from the lock or the stores; nil for the policy spec
	Decrypter sources.Decrypter       // decrypts what is in Git; nil where the digest is of the ciphertext
	// Rename returns the name that an object will have to which another one refers by a name as it is written; nil where
	// names are as they are written.
	Rename    func(by manifest.Object, kind, name string) string
	Decisions *policy.Decisions // what people decided about workloads, as the lock holds it; nil for none
	// Argument names the application to commands; "" where it lies in the working folder, or no argument does.
	Argument string
	// Earlier are manifests that were rendered before, with their stamps: the contents that pods of before read are taken
	// from there. Nil is none.
	Earlier []byte
	// EarlierShared: Earlier is of several inputs, so what is not in this one may be another's.
	EarlierShared bool
	// KeepNames has no name carry a digest: annotations take the place of the names.
	KeepNames bool
	// ForReport has what the API server would refuse of configuration be a finding, and no error: what consumes it has no
	// digest of it.
	ForReport bool
	// KeepUncompared has a keyed stamp that is in the text stay where the run has no key to compare it with, or
	// where it may be of what SOPS encrypted and the run does not decrypt.
	KeepUncompared bool
	// Retain has the result retain its Input, with what Input.Workloads needs.
	Retain bool
	// Watch is called with each document once, before anything is read from it; its error, with its line in the text,
	// ends the run. It retains nothing of a document. Nil watches nothing.
	Watch func(*manifest.Document) error
}

// settings returns the settings, which are never nil.
func (o *Options) settings() *config.Settings {
	if o.Settings == nil {
		return config.New()
	}
	return o.Settings
}

// prefixOf returns what the keys of stamps begin with.
func prefixOf(s *config.Settings) hashing.Prefix {
	return hashing.NewPrefix(string(s.AnnotationPrefix.Value))
}

func levelOf(s *config.Settings) int { return cmp.Or(int(s.Level.Value), config.MaxLevel) }

// readOptions returns how the objects of a render are read.
func readOptions(out *render.Output, opts Options) objects.Options {
	settings := opts.settings()
	return objects.Options{
		Namespace: cmp.Or(opts.Namespace, out.Namespace), Level: levelOf(settings), Rules: settings.Producers.Value,
		BaseName: baseName(prefixOf(settings)), StandIn: standIn(out, opts),
	}
}

// standIn returns the namespace that charts, and those in kustomizations, show where nobody says which one is theirs.
func standIn(out *render.Output, opts Options) string {
	isDefault := out.Namespace == "" || out.Namespace == render.DefaultNamespace
	if opts.Namespace != "" || out.Kind == render.KindPlain || !isDefault {
		return ""
	}
	return render.DefaultNamespace
}
