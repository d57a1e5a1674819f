// Package values finds the ConfigMaps and Secrets that Flux's objects take values from, without a cluster: in what
// other applications of a run render, in what they have objects looked up in, and in a file of the user's.
package values

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Ref names a ConfigMap or Secret.
type Ref struct{ Kind, Namespace, Name string }

// String returns the object as messages name it.
func (r Ref) String() string { return manifest.Describe(r.Kind, r.Namespace, r.Name) }

// Data is what a ConfigMap or Secret holds.
type Data struct {
	Ref
	From string // what it was found in, for messages
	// InManifest: an application of the run has it, or the context; Labels are those of the object then.
	InManifest bool
	Labels     map[string]string
	Left       string // why Flux leaves the object in the cluster as it is; "" where it does not

	entries   map[string][]byte
	refused   []string                  // keys whose values the API server refuses
	secrecy   map[string]redact.Secrecy // of what holds a value of a Secret, where the object is none
	unwritten bool                      // no manifest has the values in clear text: decrypted, or the user's own
}

const secretKind = "Secret"

// Secrecy returns whether the value of a key is never shown: one of a Secret, or one with such in it.
func (d *Data) Secrecy(key string) redact.Secrecy {
	switch {
	case d.unwritten:
		return redact.HoldsDecrypted
	case d.Kind == secretKind:
		return max(redact.HoldsSecret, d.secrecy[key])
	}
	return d.secrecy[key]
}

// Keys returns the keys, sorted.
func (d *Data) Keys() []string {
	keys := make([]string, 0, len(d.entries))
	for key := range d.entries {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Mentions reports whether a text is in one of the values.
func (d *Data) Mentions(text string) bool {
	for _, key := range d.Keys() {
		if value, _ := d.Get(key); bytes.Contains(value, []byte(text)) {
			return true
		}
	}
	return false
}

// Equal reports whether both have the same values; nil has none.
func (d *Data) Equal(o *Data) bool {
	if d == nil || o == nil {
		return d == o
	}
	return maps.EqualFunc(d.entries, o.entries, bytes.Equal) && slices.Equal(d.refused, o.refused) &&
		maps.Equal(d.secrecy, o.secrecy) && d.unwritten == o.unwritten
}

// Refused returns the keys that the object has with a value that the API server refuses, such as a number.
func (d *Data) Refused() []string { return d.refused }

// Get returns the value of a key.
func (d *Data) Get(key string) (value []byte, ok bool) {
	value, ok = d.entries[key]
	return value, ok
}

// Format writes the reference alone, for every verb and flag.
func (d *Data) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, d.Ref.String()) }

// Store has the renders of a run, in which objects are found.
type Store struct {
	mu       sync.Mutex
	clusters map[string]*applied // by the cluster; "" has what counts in each
}

// rendered is one render, indexed when something is first looked for in it.
type rendered struct {
	of        string // the application
	output    *render.Output
	namespace string
	rules     []config.ProducerRule
	isFile    bool // it is a file of the user's

	once   sync.Once
	index  *objects.Index
	labels map[Ref]map[string]string // of ConfigMaps and Secrets
	opened []objects.Plaintext       // what the render has decrypted
	err    error
}

// Add adds what an application renders, in place of what it rendered before, and is applied to a cluster. Objects that
// name no namespace lie in the one that is given; the rules are those of its configuration.
func (s *Store) Add(cluster, of string, out *render.Output, namespace string, rules []config.ProducerRule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := &rendered{of: of, output: out, namespace: namespace, rules: rules}
	if s.clusters == nil {
		s.clusters = map[string]*applied{}
	}
	if s.clusters[cluster] == nil {
		s.clusters[cluster] = newApplied()
	}
	s.clusters[cluster].add(one)
}

// Provided returns the ConfigMaps and Secrets that an application brings into its cluster.
func (s *Store) Provided(cluster, of string) []objects.Provided {
	r := s.rendered(cluster, of)
	if r == nil {
		return nil
	}
	r.once.Do(r.read)
	return r.index.ProvidedObjects()
}

// IsSame reports whether two applications in a cluster have an object with the same content, as far as it is written
// in both.
func (s *Store) IsSame(cluster string, ref Ref, a, b string) bool {
	var texts [2][]byte
	for i, of := range []string{a, b} {
		r := s.rendered(cluster, of)
		if r == nil {
			return false
		}
		r.once.Do(r.read)
		o := r.index.Exact(ref.Kind, ref.Namespace, ref.Name)
		if o == nil || o.IsProduced() {
			return false
		}
		var c objects.Content
		objects.Resolve(r.index).Read(o, &c)
		for _, p := range c.Pairs {
			texts[i] = fmt.Appendf(texts[i], "%q %q\n", p.Key, p.Value.Reveal())
		}
	}
	return bytes.Equal(texts[0], texts[1])
}

// Left returns why Flux leaves an object of an application as it is in the cluster; "" where it does not.
func (s *Store) Left(cluster, of string, ref Ref) string {
	r := s.rendered(cluster, of)
	if r == nil {
		return ""
	}
	r.once.Do(r.read)
	if o := r.index.Exact(ref.Kind, ref.Namespace, ref.Name); o != nil {
		return o.Left()
	}
	return ""
}

// rendered returns the render of an application, nil where it has none.
func (s *Store) rendered(cluster, of string) *rendered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clusters[cluster].of(of)
}

// Around is what objects are looked up in beyond the applications of a run, and what decrypts ciphertexts.
type Around struct {
	File      *File             // which counts before the applications; nil for none
	Context   []*render.Output  // which counts behind them
	Decrypter sources.Decrypter // nil where ciphertexts stay as they are
}

// Find returns what the user's file, the applications of the run in a cluster and the context have of an object.
// Where none has its content, the error is a *MissingError.
func (s *Store) Find(ctx context.Context, cluster string, ref Ref, with Around) (*Data, error) {
	if data := with.File.object(ref); data != nil {
		return data, nil
	}
	var all []*rendered
	if with.File != nil && with.File.manifests != nil && with.File.manifests.mayHave(ref.Name) {
		all = append(all, with.File.manifests)
	}
	s.mu.Lock()
	for _, where := range slices.Compact([]string{"", cluster}) {
		all = append(all, s.clusters[where].having(ref.Name)...)
	}
	s.mu.Unlock()
	for _, out := range with.Context {
		if one := (&rendered{of: "the context", output: out, namespace: out.Namespace}); one.mayHave(ref.Name) {
			all = append(all, one)
		}
	}
	missing := &MissingError{Ref: ref, Hint: nowhereHint}
	for _, one := range all {
		data, why, err := one.find(ctx, ref, with.Decrypter)
		if err != nil || data != nil {
			return data, err
		}
		if why != (unknown{}) && missing.Why == "" {
			missing.Why, missing.Hint = why.why, why.hint
		}
	}
	return nil, missing
}

// mayHave reports whether a name is anywhere in a render.
func (r *rendered) mayHave(name string) bool { return bytes.Contains(r.output.Text, []byte(name)) }

// unknown is why the content of an object is not known though something of a render is about it, and the next step.
type unknown struct{ why, hint string }

// find returns an object, or why its content is not known; the zero value where nothing of the render is about it.
func (r *rendered) find(
	ctx context.Context, ref Ref, decrypter sources.Decrypter,
) (data *Data, why unknown, err error) {
	r.once.Do(r.read)
	if r.err != nil {
		return nil, why, r.err
	}
	o := r.index.Exact(ref.Kind, ref.Namespace, ref.Name)
	if o == nil && r.isFile {
		o = r.index.Exact(ref.Kind, "", ref.Name) // whoever wrote it means this one
	}
	if o == nil {
		return nil, why, nil
	}
	plaintexts := r.openedOf(o)
	if o.IsEncrypted() && decrypter != nil && len(plaintexts) == 0 {
		if plaintexts, err = o.Decrypt(ctx, decrypter); err != nil {
			return nil, why, err
		}
	}
	switch {
	case len(plaintexts) > 0:
	case o.IsProduced():
		return nil, unknown{"is made in the cluster, by " + o.Producers()[0].String() + " of " + r.of, madeHint}, nil
	case o.IsEncrypted():
		return nil, unknown{"of " + r.of + " is encrypted, and is not decrypted here", encryptedHint}, nil
	}
	var c objects.Content
	objects.Resolve(r.index, plaintexts...).Read(o, &c)
	data = &Data{Ref: ref, From: r.of, InManifest: !r.isFile, Labels: r.labels[ref], Left: o.Left(),
		entries: make(map[string][]byte, len(c.Pairs)), unwritten: len(plaintexts) > 0 || r.isFile && ref.Kind == secretKind}
	for _, v := range c.Invalid {
		data.refused = append(data.refused, v.Key)
	}
	for _, p := range c.Pairs {
		if ref.Kind != secretKind && o.Node().Get("binaryData").Get(p.Key).Valid() {
			continue // Flux's controllers read data alone
		}
		if p.StandIn {
			return nil, unknown{"of " + r.of + " gets the value of " + diag.Quote(p.Key) + " in the cluster", madeHint}, nil
		}
		data.entries[p.Key] = bytes.Clone(p.Value.Reveal())
		if p.Secrecy != redact.Public {
			if data.secrecy == nil {
				data.secrecy = map[string]redact.Secrecy{}
			}
			data.secrecy[p.Key] = p.Secrecy
		}
	}
	return data, why, nil
}

// openedOf returns what the render has decrypted of an object.
func (r *rendered) openedOf(o *objects.Object) []objects.Plaintext {
	for i, p := range r.opened {
		if p.Of(o) {
			return r.opened[i : i+1]
		}
	}
	return nil
}

// read indexes the render.
func (r *rendered) read() {
	r.index = objects.NewIndex(objects.Options{Namespace: r.namespace, Level: config.MaxLevel, Rules: r.rules})
	r.labels = map[Ref]map[string]string{}
	for reader := manifest.NewReader(r.output.Text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			if err == nil {
				r.opened, err = r.index.Plaintexts(r.output.Decrypted, r.namespace)
			}
			if err != nil {
				r.err = fmt.Errorf("read what %s renders: %w", r.of, err)
			}
			return
		}
		keep, embedded := sync.OnceValue(d.Clone), r.output.Embedded(d.Start, d.End)
		for o := range d.Objects() {
			if !r.index.Concerns(o) {
				continue
			}
			about := objects.About{Embedded: embedded}
			if r.output.ByFlux {
				about.Left = policy.LeftByFlux(o)
			}
			r.index.AddWith(o, keep, about)
			if labels := o.Labels(); labels != nil {
				r.labels[Ref{o.Kind, cmp.Or(o.Namespace, r.namespace), o.Name}] = labels
			}
		}
	}
}

// MissingError is the error of an object whose content no manifest here has.
type MissingError struct {
	Ref Ref
	Why string // what is known of it, as the end of a sentence about it; "" where nothing is

	Hint string // the next step
}

// The next steps where the content of an object is not known.
const (
	nowhereHint   = "Name the Kustomization that applies it, too, or pass its values with --vars FILE."
	madeHint      = "No manifest has its values: pass them with --vars FILE."
	encryptedHint = "Decrypt it here, with --open-sops and SOPS's own variables for its keys, or --sealing-key-file; " +
		"or pass its values with --vars FILE."
)

// Error returns the text of the error.
func (e *MissingError) Error() string {
	if e.Why != "" {
		return e.Ref.String() + " " + e.Why
	}
	return e.Ref.String() + " is in no application of this run"
}

// IsMissing reports whether an error is that of an object whose content no manifest here has.
func IsMissing(err error) bool {
	var missing *MissingError
	return errors.As(err, &missing)
}

// IsKnown reports whether an error is that of an object of which something is known, but not its content.
func IsKnown(err error) bool {
	var missing *MissingError
	return errors.As(err, &missing) && missing.Why != ""
}
