package stamp

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// slot is where the stamps of one pod template stand, or will stand, in a text.
type slot struct {
	text      []byte
	existing  []existing
	foreign   func(key string) bool // tells annotations of others that may go
	empties   bool                  // the annotations hold nothing but stamps
	flowStyle bool                  // the annotations are written in brackets
	odd       bool                  // lines may end in unusual ways

	at      int      // where new text goes
	form    form     // how it is written
	missing []string // the fields that have to be made around the stamps, outermost first
	indent  int      // of a block: the column of the keys beside the new text
	eol     string
	json    bool // keys and values are quoted
	void    bool // a flow mapping without entries
	null    int  // length of the null that the new text replaces
	mark    bool // brackets are empty, and could not be told later from those that stamping makes

	nest  []nested // the mappings around the stamps, innermost first, for taking out what becomes empty
	outer int      // how many entries the mapping has that the outermost of them stands in
}

// form is how new text joins the old.
type form uint8

const (
	beforeKey   form = iota // a block mapping: before its first key
	behindColon             // a key without a value: on the lines below it, deeper than below a key that stamping makes
	insideFlow              // a flow mapping: behind its opening bracket
	beforeNull              // an explicit null in block style: before it, and it becomes a comment
	overNull                // an explicit null in flow style: in its place
)

// What stamping makes stands made columns behind its key, and below a key that was there without a value hung columns: so it can
// be told which of them goes with the stamps.
const made, hung = 2, 4

// existing is a stamp that is in the text.
type existing struct {
	key        string
	value      string
	start, end int // of the value
	keyStart   int
	quote      string
	first      bool // the first entry of its mapping
	foreign    bool // it is no stamp of ours
}

// around returns how many entries the mapping has in which s.nest[i] stands.
func (s *slot) around(i int) int {
	if i+1 < len(s.nest) {
		return s.nest[i+1].entries
	}
	return s.outer
}

// nested is a mapping on the way to the annotations, and the key it stands under. It holds no node: those are gone when the next
// document is read.
type nested struct {
	keyStart   int
	start, end int  // end is 0 where it is not known
	first      bool // its key is the first of the mapping around it
	entries    int
	flow       bool
}

// locate finds the slot at path below n, or reports false where text cannot be spliced there: behind an alias, a merge key or a
// complex key, or where lines end in unusual ways. ok is false with an error text where the manifest itself is wrong.
func locate(text []byte, n manifest.Node, path []string) (s *slot, ok bool, problem string) {
	return locateWith(text, n, path, func(string) bool { return false })
}

// locateWith is locate where annotations of others may be among those that go.
func locateWith(text []byte, n manifest.Node, path []string, foreign func(key string) bool) (s *slot, ok bool, problem string) {
	s = &slot{foreign: foreign, text: text, eol: "\n", outer: n.Len(), odd: n.Document().HasOtherLineBreaks()}
	var around, key manifest.Node
	for depth := 0; ; depth++ {
		if n.IsAliased() {
			return nil, false, ""
		}
		if !n.IsMap() {
			if n.Type() != manifest.Null {
				return nil, false, cmp.Or(strings.Join(path[:depth], "."), "the place for stamps") + " is not a mapping"
			}
			return s, s.inNull(around, key, n, path[depth:]), ""
		}
		if depth == len(path) {
			break
		}
		k, v := n.OwnEntry(path[depth])
		if !v.Valid() {
			if n.Get(path[depth]).Valid() {
				return nil, false, "" // merged in: an entry of its own would hide it
			}
			return s, s.inMap(n, path[depth:]), ""
		}
		if !n.IsFlow() && !s.oneLine(k.Offset()) {
			return nil, false, ""
		}
		s.nest = append([]nested{{keyStart: k.Offset(), start: v.Offset(), end: v.End(), first: n.FirstKey().SameAs(k), entries: v.Len(), flow: v.IsFlow()}}, s.nest...)
		around, key, n = n, k, v
	}
	if !s.inMap(n, nil) {
		return nil, false, ""
	}
	return s, s.findExisting(n), ""
}

// inMap prepares for new text in a mapping.
func (s *slot) inMap(n manifest.Node, missing []string) bool {
	s.missing = missing
	first := n.FirstKey()
	if n.IsFlow() {
		s.form, s.at, s.void = insideFlow, n.Offset()+1, !first.Valid()
		s.json = s.quoted(n, first)
		s.mark = s.void && s.inFlow() && s.nest[0].first && s.at < len(s.text) && s.text[s.at] == '}'
		return n.Offset() < len(s.text) && s.text[n.Offset()] == '{'
	}
	if !first.Valid() {
		return false
	}
	s.form, s.at = beforeKey, first.Offset()
	return s.column(first.Offset())
}

// quoted reports whether a flow mapping is JSON: its first key is in double quotes, or, without entries, that of the document.
func (s *slot) quoted(n, first manifest.Node) bool {
	if !first.Valid() {
		first = n.Document().Root().FirstKey()
	}
	return first.Valid() && first.Offset() < len(s.text) && s.text[first.Offset()] == '"'
}

// column sets the indentation from the key at offset, which only spaces and dashes may precede on its line.
func (s *slot) column(offset int) bool {
	ls := bytes.LastIndexByte(s.text[:offset], '\n') + 1
	if len(bytes.Trim(s.text[ls:offset], " -")) > 0 || !s.oneLine(offset) {
		return false
	}
	s.indent = offset - ls
	if end := bytes.IndexByte(s.text[offset:], '\n'); end > 0 && s.text[offset+end-1] == '\r' {
		s.eol = "\r\n"
	}
	return true
}

// oneLine reports whether what lies between two line feeds around offset is one line to YAML too.
func (s *slot) oneLine(offset int) bool {
	if !s.odd {
		return true
	}
	const most = 64 << 10 // a longer one is not looked through for each stamp
	from := bytes.LastIndexByte(s.text[max(offset-most, 0):offset], '\n')
	if from < 0 && offset > most {
		return false
	}
	line := s.text[max(offset-most, 0)+from+1:]
	if end := bytes.IndexByte(line[:min(len(line), 2*most)], '\n'); end >= 0 {
		line = line[:end]
	} else if len(line) > 2*most {
		return false
	}
	return !bytes.ContainsAny(bytes.TrimSuffix(line, []byte{'\r'}), "\r\u0085\u2028\u2029")
}

// inFlow reports whether the mapping that is reached is an entry of a flow mapping.
func (s *slot) inFlow() bool {
	switch len(s.nest) {
	case 0:
		return false
	case 1:
		return s.outerFlow(s.nest[0])
	}
	return s.nest[1].flow
}

// inNull prepares for new text in place of a value that is null, whose key stands in the mapping around it.
func (s *slot) inNull(around, key, n manifest.Node, missing []string) bool {
	s.missing = missing
	if !key.Valid() {
		return false
	}
	if word := n.NullLen(); word > 0 {
		s.at, s.null = n.Offset(), word
		s.form = beforeNull
		if around.IsFlow() || !s.column(key.Offset()) { // brackets and commas may follow on the line: nothing there can become a comment
			s.form, s.json = overNull, s.text[key.Offset()] == '"'
		}
		return true
	}
	if around.IsFlow() {
		return false
	}
	end := key.Offset() + len(s.text[key.Offset():])
	if i := bytes.IndexByte(s.text[key.Offset():], '\n'); i >= 0 {
		end = key.Offset() + i
	}
	line := s.text[key.Offset():end]
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !s.column(key.Offset()) {
		return false
	}
	if rest := bytes.TrimSpace(line[colon+1:]); len(rest) > 0 && rest[0] != '#' {
		return false // an anchor or a tag
	}
	s.form, s.at = behindColon, end-len(line)+len(bytes.TrimRight(line, "\r"))
	s.indent += hung
	return true
}

// findExisting records the stamps in the annotations. It reports false for one that is written in a way that cannot be spliced.
func (s *slot) findExisting(n manifest.Node) bool {
	count, others := 0, 0
	for k, v := range n.Entries() {
		count++
		key := k.Text()
		ours := strings.HasPrefix(key, hashing.Prefix)
		if !ours && !s.foreign(key) {
			others++
			continue
		}
		e := existing{key: key, value: v.Text(), keyStart: k.Offset(), start: v.Offset(), first: count == 1, foreign: !ours}
		if !v.IsScalar() || v.IsAliased() || v.Type() == manifest.Null && v.NullLen() == 0 || !e.bounds(s.text) || !s.plainKey(k.Offset(), n.IsFlow()) {
			if !ours {
				others++ // it stays: what it is written in cannot be cut out
				continue
			}
			return false
		}
		s.existing = append(s.existing, e)
	}
	s.empties, s.flowStyle = others == 0, n.IsFlow()
	return true
}

// plainKey reports whether nothing but indentation, or the bracket or comma of a flow mapping, stands before a key: no "?", no anchor.
func (s *slot) plainKey(offset int, flow bool) bool {
	if !s.oneLine(offset) {
		return false
	}
	if !flow {
		ls := bytes.LastIndexByte(s.text[:offset], '\n') + 1
		return len(bytes.Trim(s.text[ls:offset], " -")) == 0
	}
	before := bytes.TrimRight(s.text[:offset], " \t\r\n")
	return len(before) > 0 && (before[len(before)-1] == '{' || before[len(before)-1] == ',')
}

// bounds finds the end of a stamp's value: a word on the line of its key, in quotes or not.
func (e *existing) bounds(text []byte) bool {
	if e.start < e.keyStart || e.start > len(text) || bytes.IndexByte(text[e.keyStart:e.start], '\n') >= 0 {
		return false
	}
	rest := text[e.start:]
	if quoted := rest[:min(len(rest), len(e.value)+2)]; len(quoted) == len(e.value)+2 && (quoted[0] == '"' || quoted[0] == '\'') {
		e.quote = string(quoted[:1])
		e.end = e.start + len(quoted)
		return string(quoted) == e.quote+e.value+e.quote
	}
	e.end = e.start + len(e.value)
	return e.value != "" && bytes.HasPrefix(rest, []byte(e.value)) && !strings.ContainsAny(e.value, "\r\n")
}
