package splice

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// surroundings are the mappings around a slot, which a removal takes with it where an insertion made them. They hold no
// node: those are gone when the next document is read.
type surroundings struct {
	source
	nest  []nested // innermost first
	outer int      // how many entries the mapping has that the outermost of them is in
}

// nested is a mapping on the way to a slot, and its key.
type nested struct {
	keyStart   int
	start, end int  // end is 0 where it is not known
	first      bool // its key is the first of the mapping around it
	entries    int
	flow       bool
}

// enter adds a mapping, the value of a key.
func (s *surroundings) enter(key, value manifest.Node, first bool) {
	n := nested{key.Offset(), value.Offset(), value.End(), first, value.Len(), value.IsFlow()}
	s.nest = append([]nested{n}, s.nest...)
}

// entries returns how many entries the mapping has that s.nest[i] is in.
func (s *surroundings) entries(i int) int {
	if i+1 < len(s.nest) {
		return s.nest[i+1].entries
	}
	return s.outer
}

// firstInFlow reports whether the mapping that is reached is the first entry of a flow mapping.
func (s *surroundings) firstInFlow() bool {
	switch len(s.nest) {
	case 0:
		return false
	case 1:
		return s.nest[0].first && s.inBraces(s.nest[0].keyStart)
	}
	return s.nest[0].first && s.nest[1].flow
}

// removeBlockEntries removes lines; with empty, also what an insertion had made around them: the keys by whose
// indentation they were not there without a value. Hosts of functions write keys in an order of their own.
func (s *surroundings) removeBlockEntries(gone []Existing, empty bool) []Edit {
	var out []Edit
	for _, e := range gone {
		out = append(out, s.removeEntry(e.keyStart, e.end))
	}
	if empty {
		inner := gone[0].keyStart
		for i, n := range s.nest {
			last := i+1 == len(s.nest)
			if n.flow || last && s.outer < 2 || s.column(inner)-s.column(n.keyStart) != newIndent {
				break
			}
			out, inner = append(out, s.removeLine(n.keyStart)), n.keyStart
			if s.entries(i) > 1 {
				break
			}
		}
	}
	out = merge(out)
	removeFinalBreak(s.text, &out[len(out)-1]) // it came with an insertion
	for i := range out {
		s.fillItem(&out[i], empty && len(s.nest) == 0)
	}
	return out
}

// fillItem completes a removal that begins after the dash of a list item: the next key moves there, or, where nothing
// is left, an empty mapping.
func (s *surroundings) fillItem(e *Edit, empty bool) {
	switch {
	case s.isIndented(e.Start):
	case empty:
		e.Text = "{}" + s.lineBreak(e.Start)
	default:
		for e.End < len(s.text) && s.text[e.End] == ' ' {
			e.End++
		}
	}
}

// removeFlowEntries removes entries between braces; with empty, also what an insertion had made around them.
func (s *surroundings) removeFlowEntries(gone []Existing, empty bool) []Edit {
	if empty && len(s.nest) > 0 {
		return []Edit{s.emptyFlow(gone)}
	}
	var out []Edit
	for _, e := range gone {
		out = append(out, s.removeFlow(e.keyStart, e.end))
	}
	return merge(out)
}

// emptyFlow removes a flow mapping that holds nothing but the entries, or what is between its braces where it was
// there before them.
func (s *surroundings) emptyFlow(gone []Existing) Edit {
	inner := gone[len(gone)-1].end
	if !s.findEnds(inner) {
		return Edit{gone[0].keyStart, s.afterComma(inner), ""}
	}
	for i, n := range s.nest {
		if !n.flow || i > 0 && n.entries > 1 {
			break
		}
		if s.commentedNull(n.end) {
			return Edit{n.start, n.end + len(" # "), ""}
		}
		if null := s.nullOf(n.start, n.end); null != "" {
			return Edit{n.start, n.end, null}
		}
	}
	for i := 0; ; i++ {
		n, last := s.nest[i], i+1 == len(s.nest)
		outermost := last && (!s.inBraces(n.keyStart) || s.outer < 2)
		if !n.first || !last && !s.nest[i+1].flow || outermost || s.wasFlow(n, inner) {
			return Edit{n.start + 1, s.afterComma(inner), ""}
		}
		if s.entries(i) > 1 {
			return s.removeFlow(n.keyStart, n.end)
		}
		inner = n.end
	}
}

// findEnds finds where the mappings end that hold nothing but what ends at inner, as far as they are in braces: not
// every reader knows that. It reports whether the innermost one's end is known.
func (s *surroundings) findEnds(inner int) bool {
	for i := range s.nest {
		n := &s.nest[i]
		if !n.flow || i > 0 && n.entries > 1 {
			break
		}
		if n.end == 0 {
			n.end = s.afterBrace(inner)
		}
		if n.end == 0 {
			return i > 0
		}
		inner = n.end
	}
	return true
}

// wasFlow reports whether braces were there, with nothing in them, before what now ends at inner: an insertion puts a
// blank after the opening one, or there is one before the closing one. A tool that formats the text puts none there, or
// two.
func (s *surroundings) wasFlow(n nested, inner int) bool {
	if n.start+1 >= len(s.text) || inner >= len(s.text) {
		return false
	}
	blank := func(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }
	return blank(s.text[n.start+1]) != blank(s.text[inner])
}

// commentedNull reports whether an explicit null follows offset, which became a comment when something was put before
// it.
func (s *surroundings) commentedNull(offset int) bool {
	rest, ok := bytes.CutPrefix(s.text[offset:], []byte(" # "))
	return ok && (bytes.HasPrefix(rest, []byte("null")) || bytes.HasPrefix(rest, []byte("~")))
}

// nullOf returns the spelling for which a mapping between braces was written, or "".
func (s source) nullOf(start, end int) string {
	if start < 0 || end > len(s.text) || end-start < fewestBlanks || s.text[start] != '{' ||
		strings.IndexByte(" \t\r\n,", s.text[end-2]) >= 0 {
		return ""
	}
	rest := s.text[start+1 : end]
	blanks := len(rest) - len(bytes.TrimLeft(rest, " ")) - fewestBlanks
	if blanks < 0 || blanks >= len(nulls) {
		return ""
	}
	return nulls[blanks]
}

// nulls are the spellings of null. One that is written over between braces is remembered by the blanks after the new
// opening brace: two for the first of these, and one more for each further one. What was empty before has one at most,
// and nothing is before the closing brace.
var nulls = []string{"null", "~", "Null", "NULL"}

// How many blanks follow an opening brace or bracket: at the least for a null, and for the key of a list without a
// value. One of these has a colon, the other has none.
const (
	fewestBlanks       = 2
	blanksBehindColon  = 6
	blanksWithoutColon = 7
)
