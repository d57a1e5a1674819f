// Package patches writes stamps into Flux's own objects, as the patches that kustomize-controller and helm-controller
// apply: one for each workload, which sets nothing but the stamps in its pod template.
package patches

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// Stamps are what one object is to get, by the name that it has where Flux applies patches: before the prefix, the
// suffix and the namespace of its Kustomization.
type Stamps struct {
	APIVersion, Kind, Name string
	Namespace              string // "" where the name alone says which object is meant
	Places                 []Place
	Line                   int // of the object in its render
	// What an earlier patch removed of other tools stays removed: the render does not show it any more.
	KeepsRemoved bool
	// Frozen are keys of stamps whose earlier values stay, where there are such: what they are of does not reach the
	// cluster now.
	Frozen []string
	// Inner are the patches that an object of Flux is to have among its own, where the patch is for one.
	Inner []Stamps
	// Appends: the object has other patches already, behind which those go.
	Appends bool

	namespace, rendered string // of the object and its name as they are in its render
	isLoose             bool   // of a patch that was read: its target may fit others, too
}

// Place is a mapping of annotations in the object.
type Place struct {
	Path   []string // from the object to the annotations
	Set    []Annotation
	Remove []string     // annotations of other tools that give way to stamps
	Had    []Annotation // the stamps that the object had itself
}

// Annotation is one stamp.
type Annotation struct{ Key, Value string }

// Object returns the object as findings about its render name it.
func (s *Stamps) Object() string { return manifest.Describe(s.Kind, s.namespace, s.rendered) }

// group returns the API group, "" for the core one.
func (s *Stamps) group() string {
	group, _, named := strings.Cut(s.APIVersion, "/")
	if !named {
		return ""
	}
	return group
}

// id identifies the object among the patches of a list.
func (s *Stamps) id() string {
	return strings.Join([]string{s.group(), s.Kind, s.Namespace, withoutVariables(s.Name)}, "\x00")
}

// equal reports whether two patches set the same, whatever their order.
func (s *Stamps) equal(o *Stamps) bool {
	sameVersion := s.APIVersion == o.APIVersion || len(s.Inner) > 0 // which a list of operations does not have
	return sameVersion && s.Appends == o.Appends && s.isLoose == o.isLoose && s.id() == o.id() &&
		slices.Equal(s.lines(), o.lines())
}

// after returns the stamps with what stays of an earlier patch: what it removes, and values that are frozen.
func (s *Stamps) after(earlier *Stamps) *Stamps {
	if len(s.Inner) > 0 {
		return s.innerAfter(earlier)
	}
	s = s.withFrozen(earlier)
	if !s.KeepsRemoved {
		return s
	}
	out := *s
	out.Places = slices.Clone(s.Places)
	for i := range out.Places {
		p := &out.Places[i]
		for _, e := range earlier.Places {
			if !slices.Equal(e.Path, p.Path) {
				continue
			}
			for _, key := range e.Remove {
				if !slices.Contains(p.Remove, key) {
					p.Remove = append(slices.Clip(p.Remove), key)
				}
			}
		}
	}
	return &out
}

// withFrozen returns the stamps with the frozen values of an earlier patch.
func (s *Stamps) withFrozen(earlier *Stamps) *Stamps {
	if len(s.Frozen) == 0 {
		return s
	}
	out := *s
	out.Places = slices.Clone(s.Places)
	for i := range out.Places {
		p := &out.Places[i]
		p.Set = slices.Clone(p.Set)
		for j := range p.Set {
			if a := &p.Set[j]; slices.Contains(s.Frozen, a.Key) {
				a.Value = cmp.Or(earlier.value(p.Path, a.Key), a.Value)
			}
		}
	}
	return &out
}

// value returns the stamp of a key at a path, "" where there is none.
func (s *Stamps) value(path []string, key string) string {
	for _, p := range s.Places {
		for _, a := range p.Set {
			if a.Key == key && slices.Equal(p.Path, path) {
				return a.Value
			}
		}
	}
	return ""
}

// lines returns what is set where, and what is removed, sorted.
func (s *Stamps) lines() []string {
	out := s.set()
	for _, p := range s.Places {
		for _, key := range p.Remove {
			out = append(out, strings.Join(p.Path, "\x00")+"\x00\x00"+key)
		}
	}
	for i := range s.Inner {
		for _, line := range s.Inner[i].lines() {
			out = append(out, s.Inner[i].APIVersion+"\x00"+s.Inner[i].id()+"\x00"+line)
		}
		if s.Inner[i].isLoose {
			out = append(out, s.Inner[i].id()+"\x00"+"loose")
		}
	}
	slices.Sort(out)
	return out
}

// set returns what is set where.
func (s *Stamps) set() (out []string) {
	for _, p := range s.Places {
		at := strings.Join(p.Path, "\x00")
		for _, a := range p.Set {
			out = append(out, at+"\x00"+a.Key+"\x00"+a.Value)
		}
	}
	return out
}

// item returns the patch as an item of a list of patches.
func (s *Stamps) item() (splice.Fields, error) {
	body, err := s.body()
	if err != nil {
		return nil, err
	}
	var target splice.Fields
	add := func(key, value string) {
		if value != "" {
			target = append(target, splice.Field{Key: key, Value: value})
		}
	}
	add("group", s.group())
	add("kind", s.Kind)
	add("name", expression(s.Name))
	add("namespace", expression(s.Namespace))
	return splice.Fields{{Key: "patch", Value: body}, {Key: "target", Value: target}}, nil
}

// expression returns a regular expression for a name. A variable's signs are classes in it, so that whatever applies
// the patch may itself be substituted.
func expression(name string) string {
	return strings.NewReplacer(`\$`, "[$]", `\{`, "[{]", `\}`, "[}]").Replace(regexp.QuoteMeta(name))
}

// nameOf returns the name that a regular expression of ours is for.
func nameOf(expression string) string {
	return strings.NewReplacer(`\`, "", "[$]", "$", "[{]", "{", "[}]", "}").Replace(expression)
}

// isLoose reports whether a regular expression of ours has any characters for a variable's signs, as they were written
// once.
func isLoose(expression string) bool { return strings.Contains(expression, "..") }

// withoutVariables returns a name without the signs of a variable.
func withoutVariables(name string) string {
	if !strings.ContainsAny(name, "${}") {
		return name
	}
	return strings.NewReplacer("$", "", "{", "", "}", "").Replace(name)
}

// Exceed returns the first object that has stamps which it is neither to have nor had before; "" where none has.
func Exceed(have, before, wanted []Stamps) string {
	for i := range have {
		o, known := &have[i], map[string]bool{}
		for _, all := range [][]Stamps{before, wanted} {
			for j := range all {
				if o.isOf(&all[j]) {
					all[j].addKeys(known)
				}
			}
		}
		all := map[string]bool{}
		o.addKeys(all)
		for key := range all {
			if !known[key] {
				return o.Object()
			}
		}
	}
	return ""
}

// addKeys adds the places of the stamps.
func (s *Stamps) addKeys(to map[string]bool) {
	for _, p := range s.Places {
		for _, a := range p.Set {
			to[strings.Join(append(slices.Clone(p.Path), a.Key), "\x00")] = true
		}
	}
}

// isOf reports whether others, found in another render, are of the same object.
func (s *Stamps) isOf(o *Stamps) bool {
	return o.group() == s.group() && o.Kind == s.Kind && o.rendered == s.rendered && o.namespace == s.namespace
}

// Without takes the stamps with a key out.
func (s *Stamps) Without(key string) {
	var places []Place
	for _, p := range s.Places {
		p.Set = slices.DeleteFunc(slices.Clone(p.Set), func(a Annotation) bool { return a.Key == key })
		if len(p.Set) > 0 {
			places = append(places, p)
		}
	}
	s.Places = places
}

// AreIn reports whether others, found in another render of the same objects, have these stamps.
func (s *Stamps) AreIn(others []Stamps) bool {
	return slices.ContainsFunc(others, func(o Stamps) bool {
		have := o.set()
		lacks := func(line string) bool { return !slices.Contains(have, line) }
		s := s.withFrozen(&o)
		return s.isOf(&o) && !slices.ContainsFunc(s.set(), lacks)
	})
}
