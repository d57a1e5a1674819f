package sources

import (
	"fmt"
	"maps"
	"slices"
)

// Find asks for all keys of a store that fit.
type Find struct {
	Path string
	Name string            // a regular expression
	Tags map[string]string // all of them
}

// Ref is a place in a store that the content of a Secret comes from.
type Ref struct {
	Store    Store
	Key      string
	Property string // a field of the value, where it has several; "" for all of it
	Version  string // "" for the newest. A pinned version of a Ref never comes to Resolve
	Find     *Find  // instead of Key
}

// ID returns what distinguishes refs: one line that a person can read, the same in every render. What the store's
// object says takes no part.
func (r Ref) ID() string { return string(r.AppendID(nil)) }

// AppendID appends the ID to buf: there may be thousands to look up.
func (r Ref) AppendID(buf []byte) []byte {
	buf = append(append(buf, r.Store.Kind...), '/')
	if r.Store.Namespace != "" {
		buf = append(escapeRef(buf, r.Store.Namespace), '/')
	}
	buf = append(escapeRef(buf, r.Store.Name), ' ')
	return r.appendPlace(buf)
}

// SameKey reports whether two refs differ in nothing but the property. Of those with a Find none is the same as
// another.
func (r *Ref) SameKey(as *Ref) bool {
	s, t := &r.Store, &as.Store
	return r.Find == nil && as.Find == nil && r.Key == as.Key && r.Version == as.Version &&
		s.Name == t.Name && s.Namespace == t.Namespace && s.Kind == t.Kind
}

// Place is what is asked of the store, as the ID writes it.
func (r Ref) Place() string { return string(r.appendPlace(nil)) }

func (r *Ref) appendPlace(buf []byte) []byte {
	if r.Find != nil {
		return r.Find.append(buf)
	}
	buf = escapeRef(buf, r.Key)
	if r.Property != "" {
		buf = escapeRef(append(buf, '#'), r.Property)
	}
	if r.Version != "" {
		buf = escapeRef(append(buf, '@'), r.Version)
	}
	return buf
}

func (f *Find) append(buf []byte) []byte {
	buf = append(buf, "find"...)
	for _, part := range [][2]string{{"path", f.Path}, {"name", f.Name}} {
		if part[1] != "" {
			buf = escapeRef(append(buf, "?"+part[0]+"="...), part[1])
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(f.Tags)) {
		buf = append(escapeRef(append(buf, "?tag:"...), tag), '=')
		buf = escapeRef(buf, f.Tags[tag])
	}
	return buf
}

// escapeRef appends s, and writes what would be read as an end of the part, and what is not one visible word, as in a
// URL.
func escapeRef(buf []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		if c := s[i]; isEscaped[c] {
			buf = fmt.Appendf(append(buf, s[from:i]...), "%%%02X", c)
			from = i + 1
		}
	}
	return append(buf, s[from:]...)
}

// isEscaped reports of each byte whether it is written as its number: there are millions to look at.
var isEscaped = func() (out [256]bool) {
	for c := range byte(' ' + 1) {
		out[c] = true
	}
	for _, c := range "\x7f%#@?=" {
		out[c] = true
	}
	return out
}()
