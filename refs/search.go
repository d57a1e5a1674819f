package refs

import (
	"path"

	"github.com/rollstamp/rollstamp/manifest"
)

// search is one walk through a pod spec.
type search struct {
	refs      []Reference
	malformed []Malformed
	mounts    []mount
	volume    manifest.Node
	volumes   []volume
}

type mount struct{ volume, subPath string }

// volume is a reference whose keys depend on the mounts, which may come later in the text.
type volume struct {
	ref   int // index into refs
	name  string
	items []item // nil: the volume offers every key under its own name
}

type item struct{ key, path string }

// check records what is not of the type that the API has there. A value that is missing is no mistake.
func (s *search) check(n manifest.Node, field, want string, ok bool) {
	if !ok && n.Valid() && n.Type() != manifest.Null {
		s.malformed = append(s.malformed, Malformed{field + " is " + n.Shape() + ", not " + want, n.Offset()})
	}
}

// checkString records what is no string.
func (s *search) checkString(n manifest.Node, field string) {
	s.check(n, field, "a string", n.Type() == manifest.String)
}

func (s *search) walk(n manifest.Node, at *step) {
	if at.position != nil {
		s.report(n, at.position)
	}
	if at.mounts {
		s.mount(n)
		return
	}
	for f := n.Fields(); f.Next(); {
		field := f.Key.Text()
		for _, b := range at.below {
			if field != b.field || f.IsReplaced() {
				continue
			}
			if !b.list {
				if b.position != nil {
					s.check(f.Value, field, "a mapping", f.Value.IsMap())
				}
				s.walk(f.Value, b)
				continue
			}
			s.check(f.Value, field, "a list", f.Value.IsSeq())
			for it := f.Value.Elements(); it.Next(); {
				if b.volume {
					s.volume = it.Item
				}
				s.walk(it.Item, b)
			}
		}
	}
}

func (s *search) mount(n manifest.Node) {
	m := mount{volume: n.Get("name").StringValue(), subPath: clean(n.Get("subPath").StringValue())}
	if expr := n.Get("subPathExpr").StringValue(); expr != "" {
		m.subPath = rootPath // it can become any path
	}
	s.mounts = append(s.mounts, m)
}

// rootPath is what a path becomes that stays at the volume itself: all files are below it.
const rootPath = "."

// clean returns a path as the kubelet joins it, "" for none.
func clean(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

func (s *search) report(n manifest.Node, p *position) {
	if !n.IsMap() {
		return
	}
	name := n.Get(p.name)
	s.checkString(name, p.name)
	if name.StringValue() == "" {
		return
	}
	r := Reference{Kind: p.kind, Name: name.StringValue(), Form: p.form, Offset: n.Offset(), NameOffset: name.Offset(),
		All: p.scope != key}
	r.Optional = n.Get("optional").IsTrue()
	switch p.scope {
	case key:
		k := n.Get("key")
		s.checkString(k, "key")
		r.Keys = []string{k.StringValue()}
	case files:
		v := volume{ref: len(s.refs), name: s.volume.Get("name").StringValue()}
		if items := n.Get("items"); items.IsSeq() && items.Len() > 0 {
			for it := range items.Items() {
				v.items = append(v.items, item{it.Get("key").StringValue(), clean(it.Get("path").StringValue())})
			}
		}
		r.Shared = v.items == nil && s.volume.At("projected", "sources").Len() > 1
		s.volumes = append(s.volumes, v)
	}
	s.refs = append(s.refs, r)
}
