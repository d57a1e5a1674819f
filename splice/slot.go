package splice

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// ErrNotInPlace is returned where text cannot be changed in place: it stands behind an alias or a merge key, in a complex key, or where
// lines end in unusual ways. The document can be encoded again, with Reencode, and be changed then.
var ErrNotInPlace = errors.New("the text cannot be changed in place")

// ShapeError is returned where a document holds something else than the mapping that a path leads to.
type ShapeError struct {
	Path []string // of what is no mapping
}

// Error implements error.
func (e *ShapeError) Error() string { return strings.Join(e.Path, ".") + " is not a mapping" }

// Claim says what may become of an entry that is in the text.
type Claim uint8

const (
	// Foreign entries stay.
	Foreign Claim = iota
	// Removable entries may be removed, and stay where they are written in a way that cannot be cut out.
	Removable
	// Owned entries may be removed and changed. One that is written in a way that cannot be cut out makes the slot ErrNotInPlace.
	Owned
)

// Slot is the place of entries in a mapping: those that are there, and where new ones go.
type Slot struct {
	place    place
	around   surroundings
	existing []Existing
	empties  bool // the mapping holds nothing but existing entries
	flow     bool // it is written in braces
}

// Existing is a claimed entry that is in the text.
type Existing struct {
	Key, Value string
	Claim      Claim

	start, end int // of the value
	keyStart   int
	quote      string
}

// Entry is a key with a string value that is to be in the text.
type Entry struct {
	Key, Value string
	Quoted     bool // in double quotes; a value that is there keeps its style
}

// Existing returns the claimed entries that are in the text.
func (s *Slot) Existing() []Existing { return s.existing }

// Offset returns where new text goes.
func (s *Slot) Offset() int { return s.place.at }

// InsertsOnly reports whether new entries only add bytes. They replace a null that is written in braces.
func (s *Slot) InsertsOnly() bool { return s.place.form != insteadOfNull }

// Locate finds the slot in the mapping at path below n. Mappings that lack are made with the first entry. The claim is asked about each
// key that is in the mapping. The error is ErrNotInPlace or a *ShapeError.
func Locate(n manifest.Node, path []string, claim func(key string) Claim) (*Slot, error) {
	doc := n.Document()
	src := source{doc.Text(), doc.HasOtherLineBreaks()}
	s := &Slot{place: place{source: src, eol: "\n"}, around: surroundings{source: src, outer: n.Len()}}
	var parent, key manifest.Node
	for depth := 0; ; depth++ {
		if n.IsAliased() {
			return nil, ErrNotInPlace
		}
		if !n.IsMap() {
			if n.Type() != manifest.Null {
				return nil, &ShapeError{slices.Clone(path[:depth])}
			}
			return s.or(s.place.inNull(parent, key, n, path[depth:]))
		}
		if depth == len(path) {
			break
		}
		k, v := n.OwnEntry(path[depth])
		if !v.Valid() {
			if n.Get(path[depth]).Valid() {
				return nil, ErrNotInPlace // merged in: an entry of its own would hide it
			}
			return s.or(s.place.inMap(n, s.around, path[depth:]))
		}
		if !n.IsFlow() && !src.oneLine(k.Offset()) {
			return nil, ErrNotInPlace
		}
		s.around.enter(k, v, n.FirstKey().SameAs(k))
		parent, key, n = n, k, v
	}
	return s.or(s.place.inMap(n, s.around, nil) && s.find(n, claim))
}

func (s *Slot) or(ok bool) (*Slot, error) {
	if !ok {
		return nil, ErrNotInPlace
	}
	return s, nil
}

// find records the claimed entries of a mapping. It reports false for an owned one that is written in a way that cannot be cut out.
func (s *Slot) find(n manifest.Node, claim func(key string) Claim) bool {
	others := 0
	for k, v := range n.Entries() {
		key := k.Text()
		c := claim(key)
		if c == Foreign {
			others++
			continue
		}
		e := Existing{Key: key, Value: v.Text(), Claim: c, keyStart: k.Offset(), start: v.Offset()}
		scalar := v.IsScalar() && !v.IsAliased() && (v.Type() != manifest.Null || v.NullLen() > 0)
		switch {
		case scalar && e.bounds(s.place.text) && s.plainKey(k.Offset(), n.IsFlow()):
			s.existing = append(s.existing, e)
		case c == Owned:
			return false
		default:
			others++
		}
	}
	s.empties, s.flow = others == 0, n.IsFlow()
	return true
}

// plainKey reports whether nothing but indentation, or the brace or comma of a flow mapping, precedes a key: no "?", no anchor.
func (s *Slot) plainKey(offset int, flow bool) bool {
	src := s.place.source
	if !src.oneLine(offset) {
		return false
	}
	if !flow {
		return src.afterDashes(offset)
	}
	before := bytes.TrimRight(src.text[:offset], " \t\r\n")
	return len(before) > 0 && (before[len(before)-1] == '{' || before[len(before)-1] == ',')
}

// bounds finds the end of a value: a word on the line of its key, in quotes or not.
func (e *Existing) bounds(text []byte) bool {
	if e.start < e.keyStart || e.start > len(text) || bytes.IndexByte(text[e.keyStart:e.start], '\n') >= 0 {
		return false
	}
	rest := text[e.start:]
	quoted := rest[:min(len(rest), len(e.Value)+2)]
	if len(quoted) == len(e.Value)+2 && (quoted[0] == '"' || quoted[0] == '\'') {
		e.quote = string(quoted[:1])
		e.end = e.start + len(quoted)
		return string(quoted) == e.quote+e.Value+e.quote
	}
	e.end = e.start + len(e.Value)
	return e.Value != "" && bytes.HasPrefix(rest, []byte(e.Value)) && !strings.ContainsAny(e.Value, "\r\n")
}
