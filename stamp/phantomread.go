package stamp

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// readPhantoms returns the variables of a template that are read from the phantom key, and makes its references to that
// key such to all keys. One that was stamped before refers to its object again.
func (r *reader) readPhantoms(o manifest.Object, found *refs.Template) []phantom {
	if !r.phantoms {
		return nil
	}
	all := phantomsIn(found)
	for i := range all {
		p := &all[i]
		item := p.list.Get("env")
		if r.rename != nil {
			p.name = r.rename(o, p.kind, p.written)
		}
		if p.value != "" {
			found.References = append(found.References, refs.Reference{Kind: p.kind, Name: p.written, Form: refs.FormEnv,
				All: true, Optional: p.isOptional(), Offset: p.offset, NameOffset: p.offset})
			continue
		}
		for k := range found.References {
			ref := &found.References[k]
			if isWithin(ref.Offset, item.Item(p.index)) {
				ref.Keys, ref.All, p.offset = nil, true, ref.Offset
			}
		}
	}
	return all
}

// findPhantoms finds the objects of the variables, by the names without digests: one of the other kind for one that is
// nowhere, where there is exactly one of that name.
func (r *reader) findPhantoms() {
	if !r.phantoms {
		return
	}
	base := baseNames(r.in.index, r.prefix)
	for _, w := range r.in.workloads {
		for k := range w.templates {
			t := &w.templates[k]
			if len(t.phantoms) == 0 {
				continue
			}
			t.references = withBase(t.references, base)
			for i := range t.phantoms {
				p := &t.phantoms[i]
				p.name = cmp.Or(base[named{p.kind, p.name}], p.name)
			}
			t.phantoms = slices.DeleteFunc(t.phantoms, func(p phantom) bool { return r.isOrdinary(w, t, &p) })
			for i := range t.phantoms {
				r.findPhantom(w, t, &t.phantoms[i])
			}
			groupByObject(t.references)
		}
	}
}

// isOrdinary reports whether the object of a variable has the phantom key itself: then the variable is read from that
// key as from any other.
func (r *reader) isOrdinary(w *workload, t *template, p *phantom) bool {
	object, _ := r.in.index.Find(p.kind, w.namespace, p.name)
	if object == nil || !hasPhantomKey(object) {
		return false
	}
	for i := range t.references {
		if ref := &t.references[i]; isPhantom(ref) && ref.Kind == p.kind && ref.Name == p.name {
			ref.Keys, ref.All = []string{phantomKey}, false
		}
	}
	return true
}

func hasPhantomKey(o *objects.Object) bool {
	for _, field := range [...]string{"data", "stringData", "binaryData"} {
		if o.Node().Get(field).Get(phantomKey).Valid() {
			return true
		}
	}
	return false
}

func (r *reader) findPhantom(w *workload, t *template, p *phantom) {
	object, source := r.in.index.Find(p.kind, w.namespace, p.name)
	if object != nil || source != objects.Absent {
		return
	}
	other := refs.Secret
	if p.kind == refs.Secret {
		other = refs.ConfigMap
	}
	if object, _ = r.in.index.Find(other, w.namespace, p.name); object == nil {
		return
	}
	at := 0
	for i := range t.references {
		if ref := &t.references[i]; isPhantom(ref) && ref.Kind == p.kind && ref.Name == p.name {
			ref.Kind, at = other, cmp.Or(at, ref.Offset)
		}
	}
	from := p.kind
	for i := range t.phantoms {
		if same := &t.phantoms[i]; same.kind == from && same.name == p.name {
			same.kind = other
		}
	}
	what := manifest.Describe(from, w.namespace, p.name)
	r.add(diag.New(diag.PhantomKind, w.String(), "the key "+phantomKey+" is asked of "+what+
		", which is not in the input: "+manifest.Describe(other, w.namespace, p.name)+" counts").WithAbout(what),
		cmp.Or(at, w.offset))
}
