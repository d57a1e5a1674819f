package diff

import (
	"errors"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// holder is where an object is written: a document of its own, or an item of a list.
type holder struct {
	source []byte                           // the document without its edits
	edits  []splice.Edit                    // those of the document, with offsets from its start
	item   int                              // which object of it
	node   manifest.Node                    // of an item, as the strict reader read it
	slow   bool                             // only the YAML library understands the document
	all    func() ([]map[string]any, error) // reads the objects of the document with that library, once
}

// text returns the document with its edits. That is not retained: most of a document is the same without them.
func (h *holder) text() []byte {
	if len(h.edits) == 0 {
		return h.source
	}
	return splice.Bytes(h.source, h.edits)
}

var errUnreadable = errors.New("it cannot be decoded")

// table returns what the object holds, which the caller may change.
func (h *holder) table() (map[string]any, error) {
	if h.slow {
		return h.fromLibrary()
	}
	node := h.node
	if !node.Valid() {
		d, err := manifest.Parse(h.text())
		if err != nil {
			return nil, errUnreadable // the words of errors may quote the text
		}
		node = d.Root()
	}
	v, ok := value(node)
	table, isTable := v.(map[string]any)
	if !ok || !isTable {
		return h.fromLibrary()
	}
	return table, nil
}

func (h *holder) fromLibrary() (map[string]any, error) {
	if h.all == nil {
		h.all = objectsOf(h.text())
	}
	all, err := h.all()
	if err != nil || h.item >= len(all) {
		return nil, errUnreadable
	}
	return deepCopy(all[h.item]).(map[string]any), nil
}

// value returns a node as encoding/json would; not ok where a key or a number is of a form that is left to the YAML
// library.
func value(n manifest.Node) (v any, ok bool) {
	switch {
	case n.IsMap():
		out := make(map[string]any, n.Len())
		for f := n.Fields(); f.Next(); {
			if f.Key.Type() != manifest.String || f.Key.Text() == "<<" {
				return nil, false
			}
			if out[f.Key.Text()], ok = value(f.Value); !ok {
				return nil, false
			}
		}
		return out, true
	case n.IsSeq():
		out := []any{}
		for i := range n.Items() {
			v, ok := value(i)
			if !ok {
				return nil, false
			}
			out = append(out, v)
		}
		return out, true
	}
	return scalar(n)
}

func scalar(n manifest.Node) (any, bool) {
	if number, ok := decimal(n.Raw()); ok {
		return number, true
	}
	kind, text := n.TypeAndText()
	switch kind {
	case manifest.String:
		return text, true
	case manifest.Null:
		return nil, true
	case manifest.Bool:
		return strings.Contains(" y yes on true ", " "+strings.ToLower(text)+" "), true
	}
	return nil, false
}

// decimal returns a plain number as most are written.
func decimal(raw []byte) (float64, bool) {
	const exact = 15 // digits, which a float64 holds
	if len(raw) == 0 || len(raw) > exact || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	n := 0
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return float64(n), true
}

// objectsOf returns what reads the objects of a document with the YAML library, once.
func objectsOf(text []byte) func() ([]map[string]any, error) {
	return sync.OnceValues(func() ([]map[string]any, error) {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			return nil, errUnreadable
		}
		return collect(nil, v, ""), nil
	})
}

// collect appends the objects of a value, in the order in which package manifest counts them.
func collect(out []map[string]any, v any, list string) []map[string]any {
	table, ok := v.(map[string]any)
	kind, _ := table["kind"].(string)
	if kind == "" {
		kind = strings.TrimSuffix(list, "List")
	}
	if !ok || kind == "" {
		return out
	}
	if items, ok := table["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		for _, i := range items {
			out = collect(out, i, kind)
		}
		return out
	}
	return append(out, table)
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, below := range v {
			out[key] = deepCopy(below)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = deepCopy(below)
		}
		return out
	}
	return v
}
