package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/sources/objects"
)

// products is the search for what could not be rendered among the readers of what objects of an application produce:
// an ExternalSecret, a SealedSecret.
type products struct {
	unread
	old, current *inventory
}

// producer takes an object that changes and may produce something.
func (p products) producer(d *delta) {
	if d.now.isConfig() || !slices.ContainsFunc(d.fields, func(f FieldChange) bool { return isContent(f.Path) }) {
		return
	}
	for _, product := range p.of(p.after, p.current, d.now) {
		if !isSameProduct(d.old, d.now, product) {
			p.mayBeRead(d.now, product, "", p.current)
		}
	}
}

// onOneSide takes objects that are on one side only. What stays in the cluster without its producer is the same there.
func (p products) onOneSide(all []*object, change Change, read map[*object][]reader) {
	p.unread.onOneSide(all, change, read)
	side, in := p.after, p.current
	if change == Removal {
		side, in = p.before, p.old
	}
	for _, o := range all {
		if o.isConfig() || change == Removal && o.productStays() != "" {
			continue
		}
		for _, product := range p.of(side, in, o) {
			p.mayBeRead(o, product, change, in)
		}
	}
}

// of returns what an object produces on a side, as far as something could not be rendered that may read it.
func (p products) of(side inventories, in *inventory, o *object) (out []objects.Provided) {
	a := side.apps[p.names[p.index]]
	if a == nil || a.Render == nil || len(p.failed) == 0 && !p.part {
		return nil
	}
	space := o.Name
	space.Namespace = cmp.Or(o.Namespace, in.space)
	for _, one := range a.result().Provided {
		if one.Producer != "" && (one.Producer == o.Name.String() || one.Producer == space.String()) {
			out = append(out, one)
		}
	}
	return out
}

// mayBeRead takes a change of what an object produces.
func (p products) mayBeRead(o *object, product objects.Provided, change Change, in *inventory) {
	c, ok := p.config(o, change)
	if !ok {
		return
	}
	read := Produced{product.Kind, product.Namespace, product.Name}
	if read.Namespace == "" && !product.Anywhere {
		read.Namespace = c.Space
	}
	c.Encrypted = change == "" && isCiphertext(o, product)
	c.Product, c.Read = &read, in.consumes(read) || len(p.readers(read.Kind, read.Namespace, read.Name, nil)) > 0
	p.unread.mayBeRead(c)
}

// consumes reports whether a workload refers to what something produces.
func (in *inventory) consumes(p Produced) bool {
	return slices.ContainsFunc(in.all, func(o *object) bool {
		if o.workload == nil {
			return false
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			isThere := r.Namespace == "" || p.Namespace == "" || r.Namespace == p.Namespace
			if r.Kind == p.Kind && r.Name == p.Name && isThere {
				return true
			}
		}
		return false
	})
}

// isCiphertext reports whether what an object is, or produces, is encrypted, and was not decrypted.
func isCiphertext(o *object, product objects.Provided) bool {
	_, found := productOf(o, product)
	return found != nil && found.IsEncrypted() && o.plain == nil
}

// isSameProduct reports whether what an object produces has the same digest on both sides, by the two manifests alone.
func isSameProduct(old, now *object, product objects.Provided) bool {
	before, was := productOf(old, product)
	after, is := productOf(now, product)
	var memory [2]objects.Content
	return was != nil && is != nil && len(after.Differing(is, before, was, &memory)) == 0 &&
		len(before.Differing(was, after, is, &memory)) == 0
}
