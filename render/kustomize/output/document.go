package output

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	printer "go.yaml.in/yaml/v2"

	"github.com/rollstamp/rollstamp/manifest"
)

// Documents prints documents that a build leaves as they are. Its zero value is ready. It is not for several
// goroutines.
type Documents struct {
	w      documentWriter
	quoted map[string]string // what go-yaml made of texts that are rare
}

// Append appends what kustomize build prints for a document: sorted keys, and each scalar in the one style that its
// value gets. It needs no tree of nodes. ok is false, and nothing is appended, where that text is not beyond doubt.
func (p *Documents) Append(buf []byte, d *manifest.Document) (text []byte, ok bool) {
	root := d.Root()
	if !d.Fast() || !root.IsMap() || root.IsFlow() || len(d.Duplicates()) > 0 || !hasPlainComments(d.Body()) {
		return buf, false
	}
	p.w.buf, p.w.quote = buf, p.quote
	ok = p.w.mapping(root, 0, false)
	text, p.w.buf = p.w.buf, nil
	if !ok {
		return buf, false
	}
	return text, true
}

// quote asks go-yaml for the style of a text on one line.
func (p *Documents) quote(s string) (string, bool) {
	if known, ok := p.quoted[s]; ok {
		return known, true
	}
	b, err := printer.Marshal(s)
	if err != nil {
		return "", false
	}
	text := strings.TrimSuffix(string(b), "\n")
	if p.quoted == nil {
		p.quoted = map[string]string{}
	}
	if len(p.quoted) < maxQuoted {
		p.quoted[strings.Clone(s)] = text
	}
	return text, true
}

// maxQuoted is how many texts are remembered.
const maxQuoted = 10_000

// hasPlainComments reports whether all comments stand above the first field, where they cannot change what is read
// again.
func hasPlainComments(body []byte) bool {
	for len(body) > 0 {
		line := body
		if end := bytes.IndexByte(body, '\n'); end >= 0 {
			line = body[:end+1]
		}
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' && string(text) != "---" {
			break
		}
		body = body[len(line):]
	}
	return bytes.IndexByte(body, '#') < 0
}

// documentWriter prints values in block style, as go-yaml v2 does.
type documentWriter struct {
	buf     []byte
	entries []entry // of the mappings on the way down, those of the innermost last
	quote   func(string) (string, bool)
}

type entry struct {
	key   string
	value manifest.Node
}

// indentation is what lines below a key or dash have more.
const indentation = 2

// mapping prints a mapping whose first line is already indented.
func (w *documentWriter) mapping(n manifest.Node, indent int, flow bool) bool {
	first := len(w.entries)
	defer func() { w.entries = w.entries[:first] }()
	for f := n.Fields(); f.Next(); {
		key, ok := plainKey(f.Key)
		if !ok {
			return false
		}
		w.entries = append(w.entries, entry{key, f.Value})
	}
	last := len(w.entries)
	slices.SortFunc(w.entries[first:last], func(a, b entry) int { return compareKeys(a.key, b.key) })
	for i := first; i < last; i++ {
		e := w.entries[i]
		if i > first {
			w.indent(indent)
		}
		if !w.key(e.key, indent) || !w.value(e.value, indent, flow, false) {
			return false
		}
	}
	return true
}

// key prints a key and its colon. go-yaml breaks no key into lines.
func (w *documentWriter) key(s string, indent int) bool {
	start := len(w.buf)
	if !w.text(s, indent) || bytes.IndexByte(w.buf[start:], '\n') >= 0 {
		return false
	}
	w.buf = append(w.buf, ':')
	return true
}

// value prints what is behind a key or a dash. indent is that of the mapping or sequence around it.
func (w *documentWriter) value(n manifest.Node, indent int, flow, inList bool) bool {
	flow = flow || n.IsFlow()
	switch {
	case n.IsAliased():
		return false
	case n.IsMap() && n.Len() == 0:
		w.buf = append(w.buf, " {}\n"...)
		return true
	case n.IsSeq() && n.Len() == 0:
		w.buf = append(w.buf, " []\n"...)
		return true
	case n.IsMap() && inList:
		w.buf = append(w.buf, ' ')
		return w.mapping(n, indent+indentation, flow)
	case n.IsMap():
		w.buf = append(w.buf, '\n')
		w.indent(indent + indentation)
		return w.mapping(n, indent+indentation, flow)
	case n.IsSeq() && inList:
		w.buf = append(w.buf, ' ')
		return w.sequence(n, indent+indentation, flow)
	case n.IsSeq():
		w.buf = append(w.buf, '\n')
		w.indent(indent) // dashes stand below the key
		return w.sequence(n, indent, flow)
	default:
		return w.scalar(n, indent, flow, inList)
	}
}

func (w *documentWriter) sequence(n manifest.Node, indent int, flow bool) bool {
	i := 0
	for e := n.Elements(); e.Next(); i++ {
		if i > 0 {
			w.indent(indent)
		}
		w.buf = append(w.buf, '-')
		if !w.value(e.Item, indent, flow, true) {
			return false
		}
	}
	return true
}

func (w *documentWriter) scalar(n manifest.Node, indent int, flow, inList bool) bool {
	s, kind := plainScalarOf(n, flow)
	w.buf = append(w.buf, ' ')
	switch kind {
	case written:
		w.buf = append(w.buf, s...)
	case null:
		if inList {
			return false // kustomize refuses it
		}
		w.buf = append(w.buf, "null"...)
	case text:
		if !w.text(s, indent) {
			return false
		}
	default:
		return false
	}
	w.buf = append(w.buf, '\n')
	return true
}

// text prints a string, without the line break at its end.
func (w *documentWriter) text(s string, indent int) bool {
	if isEscaped(s) {
		return false
	}
	if strings.Contains(s, "\n") {
		return w.lines(s, indent+indentation)
	}
	if isBare(s) {
		w.fold(s, indent+indentation)
		return true
	}
	start := len(w.buf)
	column := w.column()
	if buf, ok := appendQuoted(w.buf, s); ok {
		w.buf = buf
	} else if quoted, ok := w.quote(s); ok {
		w.buf = append(w.buf, quoted...)
	} else {
		return false
	}
	return column+len(w.buf)-start <= width || !strings.Contains(s, " ") // else it may be printed on several lines
}

// lines prints a text of several lines as a literal block. plainScalarOf has refused texts that begin with a blank or a
// line break.
func (w *documentWriter) lines(s string, indent int) bool {
	if strings.Contains(s, " \n") || strings.HasSuffix(s, " ") {
		return false
	}
	w.buf = append(w.buf, '|')
	switch {
	case !strings.HasSuffix(s, "\n"):
		w.buf = append(w.buf, '-')
	case strings.HasSuffix(s, "\n\n"):
		w.buf = append(w.buf, '+')
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		w.buf = append(w.buf, '\n')
		if line != "" {
			w.indent(indent)
			w.buf = append(w.buf, line...)
		}
	}
	return true
}

// width is the column after which a line breaks at the next blank.
const width = 80

// fold prints a text without quotes.
func (w *documentWriter) fold(s string, indent int) {
	column := w.column()
	for len(s) > 0 {
		word := s
		if i := strings.IndexByte(s, ' '); i >= 0 {
			word = s[:i]
		}
		w.buf = append(w.buf, word...)
		column += utf8.RuneCountInString(word)
		s = s[len(word):]
		blanks := len(s) - len(strings.TrimLeft(s, " "))
		switch {
		case blanks == 1 && column > width:
			w.buf = append(w.buf, '\n')
			w.indent(indent)
			column = indent
		default:
			w.buf = append(w.buf, s[:blanks]...)
			column += blanks
		}
		s = s[blanks:]
	}
}

// column returns how many characters the last line has.
func (w *documentWriter) column() int {
	return utf8.RuneCount(w.buf[bytes.LastIndexByte(w.buf, '\n')+1:])
}

func (w *documentWriter) indent(n int) {
	for ; n > 0; n-- {
		w.buf = append(w.buf, ' ')
	}
}
