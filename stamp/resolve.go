package stamp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Resolve finds what the references of an input mean, decrypts what is encrypted, and asks for the versions of what
// is in no manifest.
func Resolve(ctx context.Context, in *Input, opts Options) (*Resolved, error) {
	r := &Resolved{in: in, errs: slices.Clone(in.errs)}
	base := baseNames(in.index, prefixOf(opts.settings()))
	r.suffixed, r.templates = len(base) > 0, consumers(in, base)
	if err := r.compareRenders(ctx, opts); err != nil {
		return nil, err
	}
	if err := r.missContext(); err != nil {
		return nil, err
	}
	plaintexts, err := r.decrypt(ctx, opts)
	if err != nil {
		return nil, err
	}
	r.contents, r.decrypts = objects.Resolve(in.index, plaintexts...), objects.DecryptedOf(plaintexts)
	if opts.Resolver != nil {
		if err := r.ask(ctx, opts); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compareRenders finds the keys that a second render of the same input has other values for.
func (r *Resolved) compareRenders(ctx context.Context, opts Options) error {
	out := r.in.out
	inContext := slices.ContainsFunc(out.Context, func(c *render.Output) bool { return c.SecondRender != nil })
	if out.SecondRender == nil && !inContext {
		return nil
	}
	second, err := r.readSecond(out, inContext)
	if err != nil {
		return errors.Join(errors.New("read the second render"), err)
	}
	r.unstable = map[*objects.Object]map[string]bool{}
	c := renders{one: objects.Resolve(r.in.index), two: objects.Resolve(second)}
	if out.SecondRender != nil {
		for o := range r.in.index.All() {
			r.compareObject(&c, o, second, r.in.positions.At(o.Offset))
		}
	}
	if inContext {
		for _, d := range r.consumedObjects(opts, (*objects.Object).Context) {
			r.compareObject(&c, d.object, second.Context(), d.workload.position)
		}
	}
	return ctx.Err()
}

// readSecond returns the index of a second render, with that of what is looked up for it.
func (r *Resolved) readSecond(out *render.Output, inContext bool) (*objects.Index, error) {
	second := r.in.index.NewSecond()
	if inContext {
		index := second.NewContext()
		for _, c := range out.Context {
			text, parts := c.SecondRender, []render.Span(nil)
			if text == nil {
				text, parts = c.Text, c.LookedUp
			}
			if err := addContext(index, c, text, parts); err != nil {
				return nil, err
			}
		}
	}
	text := manifest.NewReader(out.SecondRender)
	for {
		d, err := text.Next()
		if err != nil || d == nil {
			return second, err
		}
		clone := sync.OnceValue(d.Clone)
		for o := range d.Objects() {
			second.Add(o, clone)
		}
	}
}

// renders are two renders of one input, and memory to compare their objects in.
type renders struct {
	one, two *objects.Resolution
	memory   [2]objects.Content
}

// compareObject records the keys of an object that have other values in the index of a second render. At is where that
// is reported.
func (r *Resolved) compareObject(c *renders, o *objects.Object, second *objects.Index, at diag.Position) {
	same := second.Exact(o.Kind, o.Namespace, o.Name)
	for i, key := range c.one.Differing(o, c.two, same, &c.memory) {
		if r.unstable[o] == nil {
			r.unstable[o] = map[string]bool{}
		}
		r.unstable[o][key] = true
		if same == nil {
			if i == 0 {
				f := diag.New(diag.UnstableKey, o.String(), "the next render has no object of this name")
				r.findings = append(r.findings, f.At(at))
			}
			continue
		}
		f := diag.New(diag.UnstableKey, o.String(),
			"the value of key "+diag.Quote(key)+" differs from one render to the next")
		r.findings = append(r.findings, f.WithKey(key).At(at))
	}
}

// missContext returns the error of a context that could not be rendered, if a stamp needs it: its workload refers to
// what the input does not have, or to what something makes of objects that may be there. Else that is reported.
func (r *Resolved) missContext() error {
	if r.in.out.ContextErr == nil {
		return nil
	}
	for c := range r.stampedTemplates() {
		for i := range c.consumed {
			one := &c.consumed[i]
			if one.counts() && (one.object == nil || r.in.index.ReadsStores(one.object)) {
				return r.in.out.ContextErr
			}
		}
	}
	for _, err := range diag.Unjoin(r.in.out.ContextErr) {
		f := diag.New(diag.ContextFailed, "", err.Error())
		var known *diag.Error
		if errors.As(err, &known) {
			f = diag.New(diag.ContextFailed, "", known.Err.Error()).At(known.Pos)
		}
		r.findings = append(r.findings, f)
	}
	return nil
}

// decrypted returns what renders have decrypted.
func (r *Resolved) decrypted() ([]objects.Plaintext, error) {
	out, err := r.in.index.Plaintexts(r.in.out.Decrypted, r.in.index.Namespace())
	if err != nil {
		return nil, err
	}
	for _, c := range r.in.out.Context {
		more, err := r.in.index.Context().Plaintexts(c.Decrypted, c.Namespace)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// decrypt decrypts what stamped workloads consume, where there is a decrypter and no render has done it.
func (r *Resolved) decrypt(ctx context.Context, opts Options) (out []objects.Plaintext, err error) {
	out, err = r.decrypted()
	if opts.Decrypter == nil || err != nil {
		return out, err
	}
	known := out[:len(out):len(out)]
	for _, d := range r.consumedObjects(opts, (*objects.Object).IsEncrypted) {
		if slices.ContainsFunc(known, func(p objects.Plaintext) bool { return p.Of(d.object) }) {
			continue
		}
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
