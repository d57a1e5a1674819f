package refs

import (
	"slices"
	"strings"
)

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
	r.BySubPath = v.items == nil
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
