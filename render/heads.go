package render

import (
	"bytes"
	"strings"
)

// heads are the lines of a file that say kinds and names, found in one pass: many findings may be about one file.
type heads struct {
	kinds map[string]*headList // by what follows "kind: "
	names headList             // those of lines that say a name and nothing before it
}

// headList is a list of heads, found by their names.
type headList struct {
	all   []head
	exact map[string]int // the line that says a name, 0 where several do; nil until it is asked for
}

// head is a line that says a kind, with the name that is said in it or behind it, before the next line of that kind; or
// a line that says a name.
type head struct {
	line int
	name string
}

// newHeads reads a file's text.
func newHeads(text []byte) *heads {
	h := &heads{kinds: map[string]*headList{}}
	open := map[string]bool{} // kinds whose last head has no name yet
	n := 0
	for part := range bytes.Lines(text) {
		n++
		for kind := range kindsIn(part) {
			if h.kinds[kind] == nil {
				h.kinds[kind] = &headList{}
			}
			h.kinds[kind].all = append(h.kinds[kind].all, head{line: n})
			open[kind] = true
		}
		_, behind, ok := bytes.Cut(part, []byte("name: "))
		if !ok {
			continue
		}
		word := strings.Trim(string(behind[:end(behind)]), "\"'{} \r\n")
		for kind := range open {
			all := h.kinds[kind].all
			all[len(all)-1].name = word
		}
		clear(open)
		if value, ok := bytes.CutPrefix(bytes.TrimLeft(part, " -{"), []byte("name: ")); ok {
			if word := unquoted(value); word != "" {
				h.names.all = append(h.names.all, head{n, word})
			}
		}
	}
	return h
}

// end returns where a value ends that stands in one line with others.
func end(value []byte) int {
	if i := bytes.IndexByte(value, ','); i >= 0 {
		return i
	}
	return len(value)
}

// unquoted returns a value without its quotes, and without the comma of a flow mapping, such as those of KYAML.
func unquoted(value []byte) string {
	return strings.Trim(strings.TrimRight(string(value), ", \r\n"), "\"' ")
}

// kindsIn returns the kinds that a line says: alone in it, or with other fields behind them.
func kindsIn(line []byte) map[string]bool {
	const field = "kind: "
	if !bytes.Contains(line, []byte(field)) {
		return nil
	}
	all := map[string]bool{}
	if kind, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(field)); ok {
		all[unquoted(kind)] = true
	}
	for rest := line; ; {
		_, behind, ok := bytes.Cut(rest, []byte(field))
		if !ok {
			return all
		}
		if i := bytes.IndexByte(behind, ','); i >= 0 {
			all[unquoted(behind[:i])] = true
		}
		rest = behind
	}
}

// line returns the line of an object; 0 where several may be meant.
func (h *heads) line(kind, name string) int {
	switch of := h.kinds[kind]; {
	case of == nil:
		return h.names.line(name)
	case len(of.all) == 1:
		return of.all[0].line
	default:
		return of.line(name)
	}
}

// line returns the line that says a name, or most of it, as a generator of a kustomization does; 0 where several do.
func (l *headList) line(name string) int {
	if l.exact == nil {
		l.exact = make(map[string]int, len(l.all))
		for _, h := range l.all {
			if _, known := l.exact[h.name]; known {
				h.line = 0
			}
			l.exact[h.name] = h.line
		}
	}
	if line, ok := l.exact[name]; ok && name != "" {
		return line
	}
	at, most := 0, 0
	for _, h := range l.all {
		switch {
		case h.name == "" || len(h.name) < most || !strings.Contains(name, h.name):
		case len(h.name) == most:
			at = 0 // either
		default:
			at, most = h.line, len(h.name)
		}
	}
	return at
}
