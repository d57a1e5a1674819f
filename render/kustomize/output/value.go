package output

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	printer "go.yaml.in/yaml/v2"
	"sigs.k8s.io/kustomize/api/resource"
)

// AppendResource appends the text of a resource, which is what PrintOne returns, in less time where its values are
// plain.
func (p *Documents) AppendResource(buf []byte, r *resource.Resource) ([]byte, error) {
	v, ok := plainResource(r)
	if !ok {
		text, err := r.AsYAML()
		return append(buf, text...), err
	}
	if m, ok := v.(map[string]any); ok && len(m) > 0 {
		p.w.buf, p.w.quote = buf, p.quote
		ok = p.w.plainMap(m, 0)
		text := p.w.buf
		p.w.buf = nil
		if ok {
			return text, nil
		}
	}
	text, err := printer.Marshal(v)
	if err != nil {
		return buf, fmt.Errorf("print values: %w", err)
	}
	return append(buf, text...), nil
}

// plainMap prints a map of plainValue as mapping does that of a document.
func (w *documentWriter) plainMap(m map[string]any, indent int) bool {
	for i, key := range slices.SortedFunc(maps.Keys(m), compareKeys) {
		if i > 0 {
			w.indent(indent)
		}
		if key == "" || !w.key(key, indent) || !w.plainValue(m[key], indent, false) {
			return false
		}
	}
	return true
}

// plainValue prints what is behind a key or a dash.
func (w *documentWriter) plainValue(v any, indent int, inList bool) bool {
	switch v := v.(type) {
	case map[string]any:
		return w.plainMapValue(v, indent, inList)
	case []any:
		return w.plainList(v, indent, inList)
	case string:
		w.buf = append(w.buf, ' ')
		if !w.text(v, indent) {
			return false
		}
	case int:
		w.buf = strconv.AppendInt(append(w.buf, ' '), int64(v), 10)
	case bool:
		w.buf = strconv.AppendBool(append(w.buf, ' '), v)
	case nil:
		w.buf = append(w.buf, " null"...)
	default:
		return false
	}
	w.buf = append(w.buf, '\n')
	return true
}

func (w *documentWriter) plainMapValue(m map[string]any, indent int, inList bool) bool {
	switch {
	case len(m) == 0:
		w.buf = append(w.buf, " {}\n"...)
		return true
	case inList:
		w.buf = append(w.buf, ' ')
	default:
		w.buf = append(w.buf, '\n')
		w.indent(indent + indentation)
	}
	return w.plainMap(m, indent+indentation)
}

func (w *documentWriter) plainList(list []any, indent int, inList bool) bool {
	switch {
	case len(list) == 0:
		w.buf = append(w.buf, " []\n"...)
		return true
	case inList:
		w.buf = append(w.buf, ' ')
		indent += indentation
	default:
		w.buf = append(w.buf, '\n')
		w.indent(indent) // dashes stand below the key
	}
	for i, e := range list {
		if i > 0 {
			w.indent(indent)
		}
		w.buf = append(w.buf, '-')
		if !w.plainValue(e, indent, true) {
			return false
		}
	}
	return true
}
