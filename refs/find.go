package refs

import (
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Reference is one place in a workload that names a ConfigMap, Secret or SecretProviderClass. References that point to
// one object are not joined; see Scope.
type Reference struct {
	Kind        string
	Name        string
	Form        Form
	Keys        []string // with All false: these count
	All         bool     // every key counts
	Optional    bool
	Live        bool // read only through mounts that the kubelet keeps up to date
	Shared      bool // one of several sources of a volume, of whatever sort: that a key is not in this one says nothing
	VolumeIssue VolumeIssue
	Offset      int // where in the text
	NameOffset  int // where its name stands there
}

// VolumeIssue is what is wrong with a volume, or NoIssue.
type VolumeIssue uint8

// The issues. In both cases every key of the volume counts.
const (
	NoIssue   VolumeIssue = iota
	Unmounted             // no container mounts it
	Misses                // every mount has a subPath, and none can hit a file
)

// Template is one pod template of a workload, with what it refers to.
type Template struct {
	Node        manifest.Node // the template, or what stands in its place
	Annotations []string      // from Node to the annotations that are stamped; nil where nothing is
	References  []Reference   // in the order of the text
	Malformed   []Malformed   // what cannot be read as a reference
}

// Malformed is what stands where the API has a reference or a part of one, and is of another type: the API server
// refuses the whole object.
type Malformed struct {
	Problem string
	Offset  int // where in the text
}

// step is a node of the table's positions, joined by their common beginnings: the finder goes through a pod spec once.
type step struct {
	field    string
	list     bool // the field holds a list, whose items are meant
	volume   bool
	mounts   bool
	position *position
	below    []*step
}

func (s *step) add(path string, p position) {
	at := s
	for field := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(field, "[]")
		i := slices.IndexFunc(at.below, func(b *step) bool { return b.field == name })
		if i < 0 {
			at.below = append(at.below, &step{field: name, list: list})
			i = len(at.below) - 1
		}
		at = at.below[i]
	}
	at.position = &p
}

// podSteps joins the rows of the table up to a level of coverage.
func podSteps(level int) *step {
	root := &step{}
	for _, list := range containerLists {
		for _, p := range containerPositions {
			if p.level <= level {
				root.add(list+"[]."+p.path, p)
			}
		}
		root.add(list+"[].volumeMounts[]", position{})
	}
	for _, p := range podPositions {
		if p.level <= level {
			root.add(p.path, p)
		}
	}
	for _, s := range root.below {
		s.volume = s.field == "volumes"
		for _, b := range s.below {
			if b.field == "volumeMounts" {
				b.mounts, b.position = true, nil
			}
		}
	}
	return root
}

// search is one walk through a pod spec.
type search struct {
	refs      []Reference
	malformed []Malformed
	mounts    []mount
	volume    manifest.Node
	volumes   []volume
}

type mount struct{ volume, subPath string }

// volume is a reference whose keys depend on the mounts, which may stand later in the text.
type volume struct {
	ref   int // index into refs
	name  string
	items []item // nil: the volume offers every key under its own name
}

type item struct{ key, path string }

// check notes what is not of the type that the API has there. That nothing is written is no mistake.
func (s *search) check(n manifest.Node, field, want string, ok bool) {
	if !ok && n.Valid() && n.Type() != manifest.Null {
		s.malformed = append(s.malformed, Malformed{field + " is " + n.Shape() + ", not " + want, n.Offset()})
	}
}

// checkString notes what is no string.
func (s *search) checkString(n manifest.Node, field string) {
	s.check(n, field, "a string", n.Type() == manifest.String)
}

func (s *search) walk(n manifest.Node, at *step) {
	if at.position != nil {
		s.found(n, at.position)
	}
	if at.mounts {
		s.mount(n)
		return
	}
	for f := n.Fields(); f.Next(); {
		field := f.Key.Text()
		for _, b := range at.below {
			if field != b.field {
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

// rootPath is what a path becomes that stays at the volume itself: all files lie below it.
const rootPath = "."

// clean returns a path as the kubelet joins it, "" where none is given.
func clean(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

func (s *search) found(n manifest.Node, p *position) {
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
		r.Shared = s.volume.At("projected", "sources").Len() > 1
		v := volume{ref: len(s.refs), name: s.volume.Get("name").StringValue()}
		if items := n.Get("items"); items.IsSeq() && items.Len() > 0 {
			for it := range items.Items() {
				v.items = append(v.items, item{it.Get("key").StringValue(), clean(it.Get("path").StringValue())})
			}
		}
		s.volumes = append(s.volumes, v)
	}
	s.refs = append(s.refs, r)
}

// scopes sets for the references of volumes the keys that their mounts reach.
func (s *search) scopes() {
	slices.SortStableFunc(s.mounts, func(a, b mount) int { return strings.Compare(a.volume, b.volume) })
	for i := 0; i < len(s.volumes); {
		k := i + 1
		for k < len(s.volumes) && s.volumes[k].name == s.volumes[i].name {
			k++
		}
		s.scope(s.volumes[i:k])
		i = k
	}
}

// scope handles the sources of one volume together, because a mount that hits none of them means all.
func (s *search) scope(sources []volume) {
	var subPaths []string
	i, mounted := slices.BinarySearchFunc(s.mounts, sources[0].name,
		func(m mount, volume string) int { return strings.Compare(m.volume, volume) })
	whole := false
	for ; i < len(s.mounts) && s.mounts[i].volume == sources[0].name; i++ {
		if p := s.mounts[i].subPath; p == "" {
			whole = true
		} else {
			subPaths = append(subPaths, p)
		}
	}
	slices.Sort(subPaths)
	subPaths = slices.Compact(subPaths)
	hit := false
	for _, v := range sources {
		r := &s.refs[v.ref]
		if !mounted || whole {
			v.allKeys(r)
			continue
		}
		v.keysBelow(r, subPaths)
		hit = hit || r.All || len(r.Keys) > 0
	}
	for _, v := range sources {
		r := &s.refs[v.ref]
		switch {
		case !mounted:
			r.VolumeIssue = Unmounted
		case whole:
			s.splitLive(v, subPaths)
		case !hit:
			v.allKeys(r)
			r.VolumeIssue = Misses
		case !r.All && len(r.Keys) == 0:
			r.Name = "" // none of this source's files is read
		}
	}
}

// splitLive handles a volume that is mounted as a whole. What is mounted by subPath too is read once at the start of
// the container, so those keys are referred to a second time, not live.
func (s *search) splitLive(v volume, subPaths []string) {
	live := s.refs[v.ref]
	fixed := live
	v.keysBelow(&fixed, subPaths)
	s.refs[v.ref].Live = true
	if fixed.All || len(fixed.Keys) > 0 {
		s.refs = append(s.refs, fixed)
	}
}

// allKeys sets the keys of all files that the volume offers.
func (v volume) allKeys(r *Reference) {
	r.All, r.Keys = v.items == nil, nil
	for _, it := range v.items {
		r.Keys = append(r.Keys, it.key)
	}
}

// keysBelow sets the keys of the files at or below the sub-paths, which are sorted.
func (v volume) keysBelow(r *Reference, subPaths []string) {
	has := func(p string) bool { _, ok := slices.BinarySearch(subPaths, p); return ok }
	if has(rootPath) {
		v.allKeys(r)
		return
	}
	r.All, r.Keys = false, nil
	for _, p := range subPaths {
		if v.items == nil && !strings.Contains(p, "/") {
			r.Keys = append(r.Keys, p)
		}
	}
	slices.Sort(r.Keys)
	r.Keys = slices.Compact(r.Keys)
	for _, it := range v.items {
		p := it.path
		for !has(p) && strings.Contains(p, "/") {
			p = p[:strings.LastIndexByte(p, '/')]
		}
		if has(p) {
			r.Keys = append(r.Keys, it.key)
		}
	}
}
