package splice

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// AppendItems returns the edits that insert items behind those of the list at path below n, as EditItems does. What the
// list was without items shows in how they are written, so that RemoveItems restores it:
//   - between braces, a blank after the opening bracket stands for brackets that were empty, and two or more for a
//     null, as the table of these has it, or for a key that had nothing behind it;
//   - in a block, brackets that were empty stay, below a key without a value items are bareIndent columns further in,
//     and an explicit null becomes a comment.
func AppendItems(n manifest.Node, path []string, items []any) ([]Edit, error) {
	list := n.At(path...)
	if key, ok := bareKey(n, path); ok && len(items) > 0 {
		e, err := behindBareKey(key, list, items)
		return []Edit{e}, err
	}
	out, err := EditItems(n, path, ItemChange{At: list.Len(), Insert: items})
	if err != nil || len(items) == 0 || !list.Valid() || list.Len() > 0 {
		return out, err
	}
	parent := parentOf(n, path)
	key, _ := parent.OwnEntry(path[len(path)-1])
	src := sourceOf(list)
	switch {
	case list.IsSeq() && parent.IsFlow():
		if at := list.Offset() + 1; at < len(src.text) && src.text[at] == ']' {
			out[0].Text = " " + out[0].Text
		}
	case list.IsSeq(): // no insertion makes brackets in a block
	case parent.IsFlow():
		out[0] = insteadOf(src, out[0])
	case list.NullLen() > 0:
		v, _ := toValue(items)
		return src.commentOut(key, list, v), nil
	default:
		for i := range out {
			out[i].Text = further(out[i].Text, bareIndent-newIndent)
		}
	}
	return out, nil
}

// parentOf returns the mapping that the last key of a path is in.
func parentOf(n manifest.Node, path []string) manifest.Node {
	return n.At(path[:len(path)-1]...)
}

// bareKey returns the key of a path where it stands between braces and has nothing behind it but a colon, or not even
// that.
func bareKey(n manifest.Node, path []string) (manifest.Node, bool) {
	parent := parentOf(n, path)
	if !n.Valid() || !n.Document().Fast() || !parent.IsMap() || !parent.IsFlow() {
		return manifest.Node{}, false
	}
	key, value := parent.OwnEntry(path[len(path)-1])
	return key, key.Valid() && value.Type() == manifest.Null && value.Offset() == value.End()
}

// behindBareKey returns the edit that writes a list behind such a key, with the blanks for whether a colon is there.
func behindBareKey(key, null manifest.Node, items []any) (Edit, error) {
	v, err := toValue(items)
	if err != nil {
		return Edit{}, err
	}
	src := sourceOf(key)
	at, before, blanks := key.End(), ": ", blanksWithoutColon
	if colon := bytes.IndexByte(src.text[at:null.Offset()], ':'); colon >= 0 {
		at, before, blanks = at+colon+1, " ", blanksBehindColon
	}
	list := strings.Replace(v.flow(src.text[key.Offset()] == '"'), "[", "["+strings.Repeat(" ", blanks), 1)
	return Edit{at, at, before + list}, nil
}

// insteadOf returns an edit that writes a list over a null between braces with the blanks for that null.
func insteadOf(src source, e Edit) Edit {
	e.Text = strings.Replace(e.Text, "[", "["+blanksFor(string(src.text[e.Start:e.End])), 1)
	return e
}

// commentOut makes a comment of an explicit null in a block, and writes a list below it.
func (s source) commentOut(key, null manifest.Node, v value) []Edit {
	column, end, eol := s.column(key.Offset()), s.lineAfter(null.End()), s.lineBreak(key.Offset())
	isOpen := end == len(s.text) && s.noFinalBreak()
	if isOpen || s.deeper(end, column) {
		v = v.withoutLiterals()
	}
	_, lines := v.block()
	text := strings.Join(shift(lines, column), eol)
	if isOpen {
		text = eol + text
	} else {
		text += eol
	}
	return []Edit{{null.Offset(), null.Offset(), commentSign}, {end, end, text}}
}

const commentSign = "# "

// further returns lines with more blanks before each.
func further(text string, columns int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Trim(line, "\r\n") != "" {
			out.WriteString(strings.Repeat(" ", columns))
		}
		out.WriteString(line)
	}
	return out.String()
}

// RemoveItems returns the edits that remove all items of the list at path below n, which AppendItems inserted, and the
// list unless it was there.
func RemoveItems(n manifest.Node, path []string) ([]Edit, error) {
	list, parent := n.At(path...), parentOf(n, path)
	if !list.IsSeq() || list.Len() == 0 {
		return Delete(n, path)
	}
	src := sourceOf(list)
	key, _ := parent.OwnEntry(path[len(path)-1])
	lines := Edit{src.lineStart(list.Offset()), src.after(list), ""}
	removeFinalBreak(src.text, &lines)
	switch {
	case list.IsFlow() && parent.IsFlow():
		if e, ok := src.restoreInBraces(key, list); ok {
			return []Edit{e}, nil
		}
	case list.IsFlow():
		return EditItems(n, path, ItemChange{Remove: list.Len()})
	case src.column(list.Offset())-src.column(key.Offset()) >= bareIndent:
		return []Edit{lines}, nil
	default:
		if at := src.commentedNullBefore(key, list); at > 0 {
			return []Edit{{at, at + len(commentSign), ""}, lines}, nil
		}
	}
	return Delete(n, path)
}

// restoreInBraces returns the edit that writes what was between braces before AppendItems. It reports false where that
// made the list.
func (s source) restoreInBraces(key, list manifest.Node) (Edit, bool) {
	inside := s.text[list.Offset()+1 : list.End()-1]
	blanks := len(inside) - len(bytes.TrimLeft(inside, " "))
	isBlankBehind := len(bytes.TrimRight(inside, " \t\r\n")) < len(inside)
	switch spelling := blanks - fewestBlanks; {
	case spelling < 0 && (blanks > 0) != isBlankBehind:
		return Edit{list.Offset() + 1, s.afterComma(lastItem(list).End()), ""}, true
	case spelling >= 0 && spelling < len(nulls):
		return Edit{list.Offset(), list.End(), nulls[spelling]}, true
	case blanks == blanksBehindColon:
		colon := bytes.IndexByte(s.text[key.End():list.Offset()], ':')
		return Edit{key.End() + colon + 1, list.End(), ""}, true
	case blanks == blanksWithoutColon:
		return Edit{key.End(), list.End(), ""}, true
	}
	return Edit{}, false
}

// commentedNullBefore returns where the comment begins that an explicit null became; 0 where there is none.
func (s source) commentedNullBefore(key, list manifest.Node) int {
	colon := key.End() + bytes.IndexByte(s.text[key.End():], ':')
	found := 0
	for at := colon + 1; at < list.Offset(); at = s.lineAfter(at) {
		line := s.text[at:s.lineEnd(at)]
		blanks := len(line) - len(bytes.TrimLeft(line, " \t"))
		comment, ok := bytes.CutPrefix(line[blanks:], []byte(commentSign))
		if word, _, _ := bytes.Cut(comment, []byte(" ")); ok && slices.Contains(nulls, string(word)) {
			found = at + blanks
		}
	}
	return found
}
