package stamp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// edit puts text in the place of text[start:end].
type edit struct {
	start, end int
	text       string
}

// byPlace sorts edits as apply wants them: where one replaces what another one inserts before, the insertion comes first.
func byPlace(edits []edit) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
}

// entry is an annotation to be written.
type entry struct{ key, value string }

// edits returns what turns the stamps in the text into those wanted. Wanted ones are sorted by key; kept tells of a stamp that is not
// wanted whether it stays as it is.
func (s *slot) edits(wanted []entry, kept func(key string) bool) []edit {
	var out []edit
	var gone []existing
	there := make([]bool, len(wanted))
	stays := 0
	for _, e := range s.existing {
		i, found := slices.BinarySearchFunc(wanted, e.key, func(w entry, key string) int { return strings.Compare(w.key, key) })
		switch {
		case found && there[i]:
			gone = append(gone, e) // written twice
		case found:
			if wanted[i].value != e.value {
				out = append(out, edit{e.start, e.end, e.quote + wanted[i].value + e.quote})
			}
			there[i] = true
			stays++
		case kept(e.key):
			stays++
		default:
			gone = append(gone, e)
		}
	}
	fresh := make([]entry, 0, len(wanted))
	for i, w := range wanted {
		if !there[i] {
			fresh = append(fresh, w)
		}
	}
	// A stamp that goes makes room for one that comes: then nothing around them moves.
	for len(gone) > 0 && len(fresh) > 0 {
		e := gone[0]
		out = append(out, edit{e.keyStart, e.end, s.key(fresh[0].key) + s.colon() + e.quote + fresh[0].value + e.quote})
		gone, fresh, stays = gone[1:], fresh[1:], stays+1
	}
	if len(fresh) > 0 {
		out = append(out, edit{s.at, s.at + s.replaced(), s.insertion(fresh)})
	}
	if len(gone) > 0 {
		out = append(out, s.removal(gone, s.empties && stays == 0)...)
	}
	return out
}

// key writes the key of an annotation. An object's name that Kubernetes would refuse may hold anything.
func (s *slot) key(key string) string {
	if !s.json && strings.IndexFunc(key, unusual) < 0 {
		return key
	}
	quoted, _ := json.Marshal(key) // a string is no trouble
	return string(quoted)
}

// unusual reports whether a character could mean something to YAML.
func unusual(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' && r != '/'
}

func (s *slot) colon() string {
	if s.json {
		return ":"
	}
	return ": "
}

// replaced returns how many bytes the new text replaces.
func (s *slot) replaced() int {
	if s.form == overNull {
		return s.null
	}
	return 0
}

// pure reports whether new text only adds bytes.
func (s *slot) pure() bool { return s.form != overNull }

func (s *slot) insertion(entries []entry) string {
	switch s.form {
	case beforeKey:
		return strings.Join(s.lines(entries), "") + s.eol + strings.Repeat(" ", s.indent)
	case behindColon:
		return s.eol + strings.Repeat(" ", s.indent) + strings.Join(s.lines(entries), "")
	case beforeNull:
		return "{" + s.flow(entries) + "} # "
	case overNull:
		return "{" + s.flow(entries) + "}"
	}
	text := s.flow(entries)
	switch {
	case s.mark:
		text = " " + text
	case s.void:
	case s.json || bytes.IndexByte([]byte(" \r\n"), s.text[s.at]) >= 0:
		text += ","
	default:
		text += ", "
	}
	return text
}

// lines returns the lines of a block, the first without its indentation, the others behind a line end and theirs.
func (s *slot) lines(entries []entry) []string {
	var out []string
	add := func(depth int, text string) {
		if len(out) > 0 {
			text = s.eol + strings.Repeat(" ", s.indent+made*depth) + text
		}
		out = append(out, text)
	}
	for i, field := range s.missing {
		add(i, field+":")
	}
	for _, e := range entries {
		add(len(s.missing), s.key(e.key)+": "+e.value)
	}
	return out
}

func (s *slot) flow(entries []entry) string {
	quote, comma := "", ", "
	if s.json {
		quote, comma = `"`, ","
	}
	var b strings.Builder
	for _, field := range s.missing {
		b.WriteString(quote + field + quote + s.colon() + "{")
	}
	for i, e := range entries {
		if i > 0 {
			b.WriteString(comma)
		}
		b.WriteString(s.key(e.key) + s.colon() + quote + e.value + quote)
	}
	b.WriteString(strings.Repeat("}", len(s.missing)))
	return b.String()
}

// removal takes out stamps; with emptied, also what stamping had made around them: the keys that come first in their mapping, as
// an insertion does.
func (s *slot) removal(gone []existing, emptied bool) []edit {
	var out []edit
	if s.flowStyle {
		if emptied && len(s.nest) > 0 {
			return []edit{s.emptyFlow(gone)}
		}
		for _, e := range gone {
			out = append(out, s.flowEntry(e.keyStart, e.end))
		}
		return merge(out)
	}
	for _, e := range gone {
		out = append(out, s.wholeLine(e.keyStart))
	}
	if emptied {
		inside := gone[0].keyStart
		for i, n := range s.nest {
			last := i+1 == len(s.nest)
			if !n.first || n.flow || last && s.outer < 2 || s.depth(inside)-s.depth(n.keyStart) != made {
				break
			}
			out, inside = append(out, s.wholeLine(n.keyStart)), n.keyStart
			if s.around(i) > 1 {
				break
			}
		}
	}
	out = merge(out)
	if last := &out[len(out)-1]; last.end == len(s.text) && !bytes.HasSuffix(s.text, []byte("\n")) {
		last.start = len(bytes.TrimSuffix(bytes.TrimSuffix(s.text[:last.start], []byte("\n")), []byte("\r"))) // the line end was put in, too
	}
	for i := range out {
		s.behindDash(&out[i], emptied && len(s.nest) == 0)
	}
	return out
}

// behindDash mends a removal that begins behind the dash of a list item: the next key takes its place there, or, where nothing
// is left, an empty mapping.
func (s *slot) behindDash(e *edit, empty bool) {
	switch {
	case s.ownLine(e.start):
	case empty:
		e.text = "{}" + s.eol
	default:
		for e.end < len(s.text) && s.text[e.end] == ' ' {
			e.end++
		}
	}
}

// emptyFlow takes out a flow mapping that holds nothing but stamps, or what stands in its brackets where it was there before them.
func (s *slot) emptyFlow(gone []existing) edit {
	if s.nest[0].end == 0 {
		return edit{gone[0].keyStart, s.behindComma(gone[len(gone)-1].end), ""}
	}
	for i, n := range s.nest {
		if !n.flow || i > 0 && n.entries > 1 {
			break
		}
		if s.commentedNull(n.end) {
			return edit{n.start, n.end + len(" # "), ""}
		}
	}
	below := gone[len(gone)-1].end
	for i := 0; ; i++ {
		n, last := s.nest[i], i+1 == len(s.nest)
		if !n.first || !last && !s.nest[i+1].flow || last && (!s.outerFlow(n) || s.outer < 2) || s.wasFlow(n, below) {
			return edit{n.start + 1, s.behindComma(below), ""}
		}
		if s.around(i) > 1 {
			return s.flowEntry(n.keyStart, n.end)
		}
		below = n.end
	}
}

// wasFlow reports whether brackets were there, with nothing in them, before what now ends at below: stamping puts a blank behind the first, or
// there is one before the last. Who sets a text again puts none there, or two.
func (s *slot) wasFlow(n nested, below int) bool {
	if n.start+1 >= len(s.text) || below >= len(s.text) {
		return false
	}
	blank := func(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }
	return blank(s.text[n.start+1]) != blank(s.text[below])
}

// behindComma returns the offset behind a comma that follows, over blanks, line ends and comments, or else offset.
func (s *slot) behindComma(offset int) int {
	for i := offset; i < len(s.text); i++ {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n':
		case '#':
			n := bytes.IndexByte(s.text[i:], '\n')
			if n < 0 || s.odd {
				return offset
			}
			i += n
		case ',':
			return i + 1
		default:
			return offset
		}
	}
	return offset
}

// commentedNull reports whether an explicit null stands behind offset, which became a comment when something took its place.
func (s *slot) commentedNull(offset int) bool {
	rest, ok := bytes.CutPrefix(s.text[offset:], []byte(" # "))
	return ok && (bytes.HasPrefix(rest, []byte("null")) || bytes.HasPrefix(rest, []byte("~")))
}

// outerFlow reports whether the outermost mapping that is known stands in a flow mapping itself.
func (s *slot) outerFlow(n nested) bool {
	before := bytes.TrimRight(s.text[:n.keyStart], " \t\r\n")
	return len(before) > 0 && before[len(before)-1] == '{'
}

// flowEntry takes out an entry of a flow mapping with the comma behind it, or else the one before it.
func (s *slot) flowEntry(start, end int) edit {
	if i := s.behindComma(end); i > end {
		if i < len(s.text) && s.text[i] == ' ' {
			i++
		}
		return edit{start, i, ""}
	}
	before := bytes.TrimRight(s.text[:start], " \t\r\n")
	if len(before) > 0 && before[len(before)-1] == ',' {
		start = len(before) - 1
	}
	return edit{start, end, ""}
}

// merge joins removals that touch or overlap, as those of the last entries of a flow mapping do.
func merge(es []edit) []edit {
	slices.SortFunc(es, func(a, b edit) int { return a.start - b.start })
	var out []edit
	for _, e := range es {
		if n := len(out); n > 0 && e.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, e.end)
			continue
		}
		out = append(out, e)
	}
	return out
}

// depth returns how far behind the beginning of its line an offset lies.
func (s *slot) depth(offset int) int { return offset - bytes.LastIndexByte(s.text[:offset], '\n') - 1 }

func (s *slot) ownLine(offset int) bool {
	ls := bytes.LastIndexByte(s.text[:offset], '\n') + 1
	return len(bytes.Trim(s.text[ls:offset], " ")) == 0
}

// wholeLine takes out the line of the key at offset, with its end; behind the dash of a list item, only from the key on.
func (s *slot) wholeLine(offset int) edit {
	ls := bytes.LastIndexByte(s.text[:offset], '\n') + 1
	if !s.ownLine(offset) {
		ls = offset
	}
	if i := bytes.IndexByte(s.text[offset:], '\n'); i >= 0 {
		return edit{ls, offset + i + 1, ""}
	}
	return edit{ls, len(s.text), ""}
}
