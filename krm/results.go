package krm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

const (
	resultsKey  = "results"
	hintResults = "Remove results and write out aliases and merge keys; a host of functions hands neither over."
)

// Answer returns the list with the edits of its items, and the findings as its results. Without findings that are not
// there yet, nothing else changes.
func (l *List) Answer(edits []splice.Edit, found []diag.Finding) (splice.Edited, error) {
	text := l.document.Text()
	var results []any
	there := l.messages()
	for _, f := range found {
		if !there[message(f)] {
			results = append(results, l.result(f))
		}
	}
	if len(results) == 0 {
		return splice.Edited{Text: text, Edits: edits}, nil
	}
	more, err := l.insert(results)
	if errors.Is(err, splice.ErrNotInPlace) {
		return l.encodeAgain(edits, results)
	} else if err != nil {
		return splice.Edited{}, err
	}
	edits = append(slices.Clone(edits), more...)
	splice.Sort(edits)
	return splice.Edited{Text: text, Edits: edits}, nil
}

// messages returns what the results say that are there already, such as those of a run before.
func (l *List) messages() map[string]bool {
	out := map[string]bool{}
	for r := range l.document.Root().Get(resultsKey).Items() {
		out[r.Get("message").StringValue()] = true
	}
	return out
}

// insert returns the edits that add results.
func (l *List) insert(results []any) ([]splice.Edit, error) {
	root := l.document.Root()
	there := root.Get(resultsKey)
	if there.Valid() && !there.IsSeq() && there.Type() != manifest.Null {
		return nil, l.fail(there, errors.New("add to a ResourceList: results is no list"), hintResults)
	}
	edits, err := appendResults(root, results)
	isBlock := !root.IsFlow() && l.column(root) == 0
	if !errors.Is(err, splice.ErrNotInPlace) || !isBlock || there.Valid() {
		return edits, err
	}
	// What has anchors or tags is a block all the same, to which a key can be added below all others.
	empty, err := manifest.Parse([]byte(resultsKey + ":\n"))
	if err != nil {
		return nil, err
	}
	if edits, err = splice.Set(empty.Root(), []string{resultsKey}, results); err != nil {
		return nil, err
	}
	added := splice.Bytes(empty.Text(), edits)
	text, end := l.document.Text(), l.document.End
	if end > 0 && text[end-1] != '\n' {
		added = append([]byte("\n"), added...)
	}
	return []splice.Edit{{Start: end, End: end, Text: string(added)}}, nil
}

// appendResults returns the edits that add results behind those of a list that are there.
func appendResults(root manifest.Node, results []any) ([]splice.Edit, error) {
	return splice.EditItems(root, []string{resultsKey}, splice.ItemChange{At: root.Get(resultsKey).Len(), Insert: results})
}

// encodeAgain returns the list with edits and results where these cannot be written into its text. One more result says
// that comments are lost: a host that gets no list at all would lose the findings, too.
func (l *List) encodeAgain(edits []splice.Edit, results []any) (splice.Edited, error) {
	document, err := manifest.Parse(splice.Bytes(l.document.Text(), edits))
	if err == nil {
		document, err = splice.Reencode(document)
	}
	if err != nil {
		return splice.Edited{}, l.fail(l.document.Root(), fmt.Errorf("add to a ResourceList: %w", err), hintResults)
	}
	lost := diag.New(diag.Reencoded, "", "the list was encoded again to add results, and its comments are lost")
	edits, err = appendResults(document.Root(), append(results, l.result(lost)))
	return splice.Edited{Text: document.Text(), Edits: edits}, err
}

// column returns how far a node that begins a line is indented.
func (l *List) column(n manifest.Node) int {
	text := bytes.TrimPrefix(l.document.Text()[:n.Offset()], []byte("\ufeff"))
	return len(text) - 1 - bytes.LastIndexByte(text, '\n')
}

// result returns a finding as hosts know it.
func (l *List) result(f diag.Finding) splice.Fields {
	out := splice.Fields{{Key: "message", Value: message(f)}, {Key: "severity", Value: string(f.Severity)}}
	if i := l.itemOf(f); i != nil {
		ref := splice.Fields{
			{Key: "apiVersion", Value: i.APIVersion}, {Key: "kind", Value: i.Kind}, {Key: "name", Value: i.Name},
		}
		if i.Namespace != "" {
			ref = append(ref, splice.Field{Key: "namespace", Value: i.Namespace})
		}
		out = append(out, splice.Field{Key: "resourceRef", Value: ref})
		if path := l.fieldAt(i.Node, f.Line); path != "" {
			out = append(out, splice.Field{Key: "field", Value: splice.Fields{{Key: "path", Value: path}}})
		}
		out = append(out, i.file()...)
	}
	return append(out, splice.Field{Key: "tags", Value: splice.Fields{{Key: "code", Value: string(f.Code)}}})
}

func message(f diag.Finding) string {
	text := f.Message
	if f.Object != "" {
		text = f.Object + ": " + text
	}
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	return strings.ToValidUTF8(text, "?")
}

// file returns where a host has an item from, where it says so.
func (i *item) file() splice.Fields {
	path := i.annotation(pathAnnotations)
	if path == "" {
		return nil
	}
	file := splice.Fields{{Key: "path", Value: path}}
	if index, err := strconv.Atoi(i.annotation(indexAnnotations)); err == nil {
		file = append(file, splice.Field{Key: "index", Value: index})
	}
	return splice.Fields{{Key: "file", Value: file}}
}

// Place returns where a finding is for a person: the file that a host has its object from, because nobody sees the
// lines of a ResourceList.
func (l *List) Place(f diag.Finding) diag.Finding {
	var at diag.Position
	if i := l.itemOf(f); i != nil {
		at.File = i.annotation(pathAnnotations)
	}
	return f.At(at)
}

// itemOf returns the item that a finding is about: the one at its line that has the object's name, or else the one of
// that name; nil for none.
func (l *List) itemOf(f diag.Finding) *item {
	places := l.byName()[nameOf(f.Object)]
	after, _ := slices.BinarySearchFunc(places, f.Line, func(k, line int) int {
		return cmp.Compare(l.lineOf(l.items[k].Node.Offset()), line+1)
	})
	if after > 0 {
		i := &l.items[places[after-1]]
		if isNamed(i, f.Object) && (i.end == 0 || f.Line <= l.lineOf(i.end)) {
			return i
		}
	}
	for _, k := range places {
		if i := &l.items[k]; isNamed(i, f.Object) {
			return i
		}
	}
	return nil
}

// byName returns the places of the items by what findings name them, without the namespace.
func (l *List) byName() map[string][]int {
	if l.names == nil {
		l.names = make(map[string][]int, len(l.items))
		for k := range l.items {
			name := nameOf(l.items[k].String())
			l.names[name] = append(l.names[name], k)
		}
	}
	return l.names
}

// nameOf returns "Kind name" of "Kind namespace/name".
func nameOf(object string) string {
	kind, name, _ := strings.Cut(object, " ")
	return kind + " " + name[strings.LastIndexByte(name, '/')+1:]
}

// isNamed reports whether an item is the object as findings name it, whose namespace may be one that it does not name
// itself.
func isNamed(i *item, object string) bool {
	kind, name, _ := strings.Cut(object, " ")
	return object == i.String() ||
		i.Namespace == "" && kind == i.Kind && name[strings.LastIndexByte(name, '/')+1:] == i.Name
}

// fieldAt returns the path of the field that is written at a line of an item; "" where that is the item itself.
func (l *List) fieldAt(n manifest.Node, line int) string {
	if line <= l.lineOf(n.Offset()) {
		return ""
	}
	end, path := l.endOf(line), ""
	for deeper := true; deeper && !n.IsFlow(); { // what is in brackets is on one line
		var next manifest.Node
		at, step := n, path
		index := 0
		for v := range at.Items() {
			if v.Offset() < end {
				next, path = v, step+"["+strconv.Itoa(index)+"]"
			}
			index++
		}
		for k, v := range at.Entries() {
			if k.Offset() < end {
				next, path = v, strings.TrimPrefix(step+"."+k.Text(), ".")
			}
		}
		n, deeper = next, next.Valid()
	}
	return path
}

// lineOf returns the line of an offset.
func (l *List) lineOf(offset int) int {
	before, _ := slices.BinarySearch(l.lineEnds(), offset)
	return before + 1
}

// endOf returns where a line ends.
func (l *List) endOf(line int) int {
	if ends := l.lineEnds(); line <= len(ends) {
		return ends[line-1]
	}
	return l.document.End
}

// lineEnds returns the offsets of all line breaks.
func (l *List) lineEnds() []int {
	if l.ends == nil {
		text := l.document.Text()
		l.ends = make([]int, 0, bytes.Count(text, []byte("\n")))
		for i, c := range text {
			if c == '\n' {
				l.ends = append(l.ends, i)
			}
		}
	}
	return l.ends
}
