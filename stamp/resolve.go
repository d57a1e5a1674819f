package stamp

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Resolved is an Input with the objects that its workloads refer to. Their content can be read: what is encrypted has
// been decrypted, and what is in no manifest has been asked for.
type Resolved struct {
	in        *Input
	contents  *objects.Resolution
	templates []consumer                          // in the order of the workloads
	unstable  map[*objects.Object]map[string]bool // keys whose value differs from one render to the next
	suffixed  bool                                // a name in the input carries a digest
	asked     []sources.Ref                       // of the resolver
	reported  []diag.Finding                      // by the resolver
	findings  []diag.Finding
	errs      failures
}

// Resolve finds what the references of an input mean, decrypts what is encrypted, and asks for the versions of what
// is in no manifest.
func Resolve(ctx context.Context, in *Input, opts Options) (*Resolved, error) {
	r := &Resolved{in: in, errs: slices.Clone(in.errs)}
	if err := r.compareRenders(ctx, opts); err != nil {
		return nil, err
	}
	base := baseNames(in.index)
	r.suffixed, r.templates = len(base) > 0, consumers(in, base)
	plaintexts, err := r.decrypt(ctx, opts)
	if err != nil {
		return nil, err
	}
	r.contents = objects.Resolve(in.index, plaintexts...)
	if opts.Resolver != nil {
		if err := r.ask(ctx, opts); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compareRenders finds the keys that a second render of the same input has other values for.
func (r *Resolved) compareRenders(ctx context.Context, opts Options) error {
	if r.in.out.SecondRender == nil {
		return nil
	}
	second := objects.NewIndex(readOptions(r.in.out, opts))
	text := manifest.NewReader(r.in.out.SecondRender)
	for {
		d, err := text.Next()
		if err != nil {
			return errors.Join(errors.New("read the second render"), err)
		}
		if d == nil {
			break
		}
		clone := sync.OnceValue(d.Clone)
		for o := range d.Objects() {
			second.Add(o, clone)
		}
	}
	r.unstable = map[*objects.Object]map[string]bool{}
	var memory [2]objects.Content
	one, two := objects.Resolve(r.in.index), objects.Resolve(second)
	for o := range r.in.index.All() {
		for _, key := range one.Differing(o, two, second.Exact(o.Kind, o.Namespace, o.Name), &memory) {
			if r.unstable[o] == nil {
				r.unstable[o] = map[string]bool{}
			}
			r.unstable[o][key] = true
			f := diag.New(diag.UnstableKey, o.String(),
				"the value of key "+diag.Quote(key)+" differs from one render to the next")
			r.findings = append(r.findings, f.WithKey(key).At(r.in.positions.At(o.Offset)))
		}
	}
	return ctx.Err()
}

// demand is an object that stamped workloads consume, with the first of them.
type demand struct {
	object   *objects.Object
	workload *workload
}

// consumedObjects returns the objects that stamped workloads consume and wants reports true of, each once, as they
// are in the input, so that errors are the same every run.
func (r *Resolved) consumedObjects(s *config.Settings, wants func(*objects.Object) bool) []demand {
	var out []demand
	seen := map[*objects.Object]bool{}
	for c := range r.stampedTemplates() {
		for i := range c.consumed {
			o := c.consumed[i].object
			if o == nil || seen[o] || !c.consumed[i].readByPod() || !wants(o) || policy.Ignores(s, o) {
				continue
			}
			seen[o] = true
			out = append(out, demand{o, c.workload})
		}
	}
	slices.SortStableFunc(out, func(a, b demand) int {
		return cmp.Or(cmp.Compare(a.object.Offset, b.object.Offset), cmp.Compare(a.object.Kind, b.object.Kind),
			cmp.Compare(a.object.Name, b.object.Name))
	})
	return out
}

func (r *Resolved) stampedTemplates() iter.Seq[*consumer] {
	return func(yield func(*consumer) bool) {
		for i := range r.templates {
			if r.templates[i].stamped() && !yield(&r.templates[i]) {
				return
			}
		}
	}
}

// decrypt decrypts what stamped workloads consume, where there is a decrypter.
func (r *Resolved) decrypt(ctx context.Context, opts Options) (out []objects.Plaintext, err error) {
	if opts.Decrypter == nil {
		return nil, nil
	}
	for _, d := range r.consumedObjects(opts.settings(), (*objects.Object).Encrypted) {
		plaintexts, err := d.object.Decrypt(ctx, opts.Decrypter)
		var u *objects.DecryptError
		var e *diag.Error
		if err == nil {
			out = append(out, plaintexts...)
			continue
		}
		if !errors.As(err, &u) || !errors.As(err, &e) || e.Object == "" {
			return nil, err // of the decrypter itself
		}
		located := *e
		if !u.Context && e.Pos == (diag.Position{}) {
			located.Pos = r.in.positions.At(u.Offset)
		}
		r.errs.add(&located)
	}
	return out, errors.Join(r.errs...)
}
