package stamp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Resolve finds what the references of an input mean, decrypts what is encrypted, and asks for the versions of what
// is in no manifest.
func Resolve(ctx context.Context, in *Input, opts Options) (*Resolved, error) {
	r := &Resolved{in: in, errs: slices.Clone(in.errs)}
	if err := r.compareRenders(ctx); err != nil {
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
func (r *Resolved) compareRenders(ctx context.Context) error {
	if r.in.out.SecondRender == nil {
		return nil
	}
	second := r.in.index.NewSecond()
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
