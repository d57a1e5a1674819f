package stamp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
)

// readContext takes what can be looked up. Nothing of it is stamped.
func (w *work) readContext(ctx context.Context) error {
	if len(w.opts.Context) == 0 {
		return nil
	}
	index := w.index.NewContext()
	for _, c := range w.opts.Context {
		r := manifest.NewReader(c.Text)
		for {
			d, err := r.Next()
			if err != nil {
				return fmt.Errorf("read the context: %w", render.NewPlaces(c.Text, c.Origins).Move(err))
			}
			if d == nil {
				break
			}
			keep := sync.OnceValue(d.Clone)
			for o := range d.Objects() {
				if index.Concerns(o.Kind) {
					index.Add(o, keep)
				}
			}
		}
	}
	return ctx.Err()
}

// ask opens what is encrypted and asks for what is in no manifest, once for all that stamped workloads consume.
func (w *work) ask(ctx context.Context) error {
	if w.opts.Decrypter != nil {
		if err := w.open(ctx); err != nil {
			return err
		}
	}
	if w.opts.Resolver == nil {
		return nil
	}
	var refs []sources.Ref
	want := func(all []sources.RemoteRef) {
		if len(refs)+len(all) > cap(refs) {
			refs = slices.Grow(refs, len(refs)+len(all)) // twice as many, or tens of thousands would be copied many times
		}
		for i := range all {
			if _, pinned := sources.Pinned(all[i].Ref); !pinned {
				refs = append(refs, all[i].Ref)
			}
		}
	}
	consumption := w.consumption((*sources.Object).ReadsStores) // to look at the others here would be in vain
	order := inOrder(consumption)
	if err := w.refused(order, consumption); err != nil {
		return err
	}
	for _, o := range order {
		want(o.RemoteRefs())
	}
	for _, wl := range w.workloads {
		for _, t := range wl.templates {
			if w.isStamped(wl, t) {
				want(t.named)
			}
		}
	}
	answers := sources.NewAnswers(refs)
	if refs := answers.Refs(); len(refs) > 0 {
		got, err := w.opts.Resolver.Resolve(ctx, refs)
		if err != nil {
			return w.locateErrors(err)
		}
		if len(got) != len(refs) {
			return fmt.Errorf("ask for versions: %d answers to %d questions", len(got), len(refs))
		}
		for i := range got {
			if got[i].Version == "" && got[i].Digest == "" {
				return fmt.Errorf("ask for versions: no answer for %s", refs[i].ID())
			}
		}
		answers.Give(got)
	}
	w.index.SetAnswers(answers)
	for _, wl := range w.workloads {
		for _, t := range wl.templates {
			for i := range t.named {
				t.named[i].Answer = answers.Of(&t.named[i].Ref)
			}
		}
	}
	return nil
}

// isStamped reports whether a template will get stamps.
func (w *work) isStamped(wl *workload, t template) bool {
	return t.slot != nil && (!t.forUser || w.followed[[3]string{wl.Kind, w.home(wl.Namespace), wl.Name}])
}

// consumption returns what stamped workloads refer to and counts says of, each object once, with the first of them.
func (w *work) consumption(counts func(*sources.Object) bool) map[*sources.Object]*workload {
	out := map[*sources.Object]*workload{}
	for _, wl := range w.workloads {
		namespace := w.home(wl.Namespace)
		for _, t := range wl.templates {
			if !w.isStamped(wl, t) {
				continue
			}
			for _, r := range t.references {
				if r.Form == refs.FormPull {
					continue
				}
				if o, _ := w.index.Find(r.Kind, namespace, r.Name); o != nil && out[o] == nil && counts(o) && !w.ignores(o) {
					out[o] = wl
				}
			}
		}
	}
	return out
}

// open decrypts what stamped workloads consume.
func (w *work) open(ctx context.Context) error {
	for _, o := range inOrder(w.consumption((*sources.Object).Encrypted)) {
		err := o.Decrypt(ctx, w.opts.Decrypter)
		var u *sources.DecryptError
		var e *diag.Error
		if err == nil {
			continue
		}
		if !errors.As(err, &u) || !errors.As(err, &e) || e.Object == "" {
			return err // of the decrypter itself
		}
		placed := *e
		if !u.Context && e.Pos == (diag.Position{}) {
			placed.Pos = w.places.At(u.Offset)
		}
		w.fail(&placed)
	}
	return errors.Join(w.errs...)
}

// mayNameVault reports whether the text of a workload can name a place in Vault. Hardly any does, and to look costs less than to walk it.
func mayNameVault(n manifest.Node) bool {
	if n.End() == 0 {
		return true
	}
	text := n.Document().Text()[n.Offset():n.End()]
	return bytes.Contains(text, []byte("vault")) || bytes.Contains(text, []byte("bao:"))
}

// namedInPod is the reference to what a pod template takes from Vault by itself. What the template says of it needs no digest, because a
// change of the template restarts pods anyway; the versions do.
func (w *work) namedInPod(wl *workload, t template) plan.Reference {
	r := plan.Reference{Kind: sources.Vault, Namespace: wl.Namespace, Name: wl.Name, Forms: []string{"template"}, Source: "template"}
	pairs := w.pairs[:0]
	for _, a := range t.named {
		p := a.Pair()
		r.Keys = append(r.Keys, a.Key)
		pairs = append(pairs, hashing.Pair{Key: p.Key, Value: p.Value})
	}
	w.pairs = pairs
	if w.opts.Resolver == nil {
		return r
	}
	r.Annotation = hashing.Annotation("", sources.Vault, wl.Name)
	key, _ := hashing.Keyed(sources.Vault, hashing.Written, w.opts.Key) // nothing was fetched, so there is no error
	r.Digest = w.hasher.Value(sources.Vault, wl.Name, pairs, key)
	return r
}

// unversioned tells, once for each of them, what a consumed object comes from that counts by its manifest though versions were asked for.
func (w *work) unversioned(wl *workload, r *plan.Reference, offset int, object *sources.Object, content *sources.Content) {
	for _, u := range content.Unversioned {
		who, what, at := object.String(), "its placeholders stand for", offset
		switch {
		case u.Producer == nil && r.Source != sources.Context:
			at = object.Offset
		case u.Producer != nil:
			who, what = u.Producer.String(), "it fetches"
			if !u.Producer.Context {
				at = u.Producer.Offset
			}
		}
		id := string(u.Why) + " " + who
		if w.told[id] {
			continue
		}
		w.tell(id)
		f := diag.New(diag.NotAsked, who, "no version can be asked for of what "+what+": its manifest counts, under secrets.policy "+w.policy()+", too")
		switch u.Why {
		case sources.Fetched:
		case sources.Unasked:
			f.Message = "no version is asked for of what " + what + ", because secrets.ask does not list " + u.Producer.Kind + ": its manifest counts, under secrets.policy " + w.policy() + ", too"
			f.Hint = "Let it be asked for with secrets: {ask: [" + u.Producer.Kind + "]} in .rollstamp.yaml, which restarts what reads it once; or let a reloader restart it after a rotation."
		case sources.Metadata:
			f.Message = "it takes metadata of its keys (metadataPolicy: Fetch), and the version of their values counts under secrets.policy " + w.policy() + ": a tag that changes restarts nothing"
			f.Hint = "Let a reloader restart what reads it, or put what the tag says into a value."
		case sources.Made:
			f = diag.New(diag.NoVersion, who, "what it makes has no version: its manifest counts, under secrets.policy "+w.policy()+", too")
		}
		w.note(wl, r, at, f)
	}
}

// emptySearches tells, once for each, of searches of a store that find nothing: the version of nothing is one, so it would pass for an answer.
func (w *work) emptySearches(wl *workload, r *plan.Reference, offset int, content *sources.Content) {
	for _, a := range content.RemoteRefs {
		if a.Ref.Find == nil || a.Answer.Version != sources.SetVersion(nil) {
			continue
		}
		who, at := a.Producer.String(), offset
		if !a.Producer.Context {
			at = a.Producer.Offset
		}
		if id := who + " " + a.Ref.ID(); !w.told[id] {
			w.tell(id)
			w.note(wl, r, at, diag.New(diag.FindsNothing, who, "the search "+a.Ref.ID()+" finds nothing"))
		}
	}
}

// tell remembers that something was told.
func (w *work) tell(id string) {
	if w.told == nil {
		w.told = map[string]bool{}
	}
	w.told[id] = true
}

// leases reports of places that a pod names itself where Vault makes something for each reader.
func (w *work) leases(wl *workload, r *plan.Reference, t template) {
	for _, a := range t.named {
		if a.Answer.Version == sources.Lease {
			w.note(wl, r, t.offset, diag.New(diag.NoVersion, wl.name(), "what Vault makes at "+a.Key+" is a lease and has no version: its path counts, under secrets.policy "+w.policy()+", too"))
		}
	}
}

// policy is the one that asks.
func (w *work) policy() string { return string(w.settings.Secrets.Value) }
