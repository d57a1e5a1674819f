package order

import (
	"bytes"
	"strings"

	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// batchSize is how much text goes through one reader: enough for its memory to be used again, and no second copy of a
// large render.
const batchSize = 256 << 10

// readHeads fills in the heads of docs. An error names the template whose document is not YAML, or not an object.
//
// Helm unmarshals each document as a whole to read its head, which is nearly all the time that it takes. The strict
// reader of package manifest returns the same for plain documents; every other is read as helm reads it.
func readHeads(docs []Document) error {
	var stream []byte
	for len(docs) > 0 {
		n := 0
		for stream = stream[:0]; n < len(docs) && len(stream) < batchSize; n++ {
			if docs[n].alone = alone(docs[n].Text); docs[n].alone {
				stream = append(stream, Marker+"\n"...)
				stream = append(stream, docs[n].Text...)
				stream = append(stream, '\n')
			}
		}
		if err := readBatch(docs[:n], stream); err != nil {
			return err
		}
		docs = docs[n:]
	}
	return nil
}

// readBatch reads docs. The stream holds those that stay one document each in a stream.
func readBatch(docs []Document, stream []byte) error {
	r := manifest.NewReader(stream)
	at := 0 // where the document begins in the stream
	for i := range docs {
		d := &docs[i]
		ok := false
		if d.alone {
			// An error here decides nothing: the document is read as Helm reads it then.
			doc, err := r.Next()
			if err == nil && doc != nil && doc.Start == at && doc.Fast() && !mayRefuse(d.Text) {
				d.Head, ok = fastHead(doc.Root())
			}
			at += len(Marker) + len(d.Text) + 2
		}
		if !ok {
			var err error
			if d.Head, err = slowHead(d.Text); err != nil {
				return &ParseError{Template: d.Template, Err: err}
			}
		}
	}
	return nil
}

// alone reports whether doc stays one document in a stream: it holds no marker and no directive.
func alone(doc string) bool {
	if doc == "" {
		return false
	}
	switch doc[0] {
	case '-', '.', '%', '\xef':
		return false
	}
	return !strings.Contains(doc, "\n...") && !strings.Contains(doc, "\n%")
}

// mayRefuse reports whether Helm may refuse doc because it holds what YAML allows and JSON does not: keys that are null
// or larger than any integer of Go's, infinity, and what is not a number.
func mayRefuse(doc string) bool {
	for i := 0; ; i++ {
		n := strings.IndexByte(doc[i:], ':')
		if n < 0 {
			break
		}
		if i += n; mayRefuseKey(strings.TrimRight(doc[:i], " ")) {
			return true
		}
	}
	for i := 0; ; i++ {
		n := strings.IndexByte(doc[i:], '.')
		if n < 0 {
			return false
		}
		if i += n; mayBeInfinite(doc[i+1:]) {
			return true
		}
	}
}

// mayRefuseKey reports whether a key that ends as the text does may be null or too large.
func mayRefuseKey(before string) bool {
	if before == "" {
		return true
	}
	switch c := before[len(before)-1]; {
	case c == '~':
		return true
	case c == 'l' || c == 'L':
		return len(before) >= 4 && strings.EqualFold(before[len(before)-4:], "null")
	case c >= '0' && c <= '9':
		const tooLong = 19
		return len(before) >= tooLong && strings.Trim(before[len(before)-tooLong:], "0123456789") == ""
	}
	return false
}

// mayBeInfinite reports whether the text after a dot may make it infinity, or not a number.
func mayBeInfinite(rest string) bool {
	if len(rest) < 3 || rest[1]|0x20 != 'n' && rest[1]|0x20 != 'a' {
		return false
	}
	return strings.EqualFold(rest[:3], "inf") || strings.EqualFold(rest[:3], "nan")
}

// fastHead returns the head of a document that the strict reader read. It is not ok where Helm's reader might see more
// in it: keys in other case, keys written twice, values that it would convert or refuse.
func fastHead(root manifest.Node) (h Head, ok bool) {
	if !root.Valid() {
		return h, true // nothing but comments
	}
	if !root.IsMap() {
		return h, false
	}
	seen := field(0)
	for k, v := range root.Entries() {
		f := fieldOf(k.Value())
		if f == similarField || f != 0 && seen&f != 0 {
			return h, false
		}
		seen |= f
		switch f {
		case versionField:
			ok = v.IsScalar()
		case kindField:
			h.Kind, ok = lineOfText(v)
		case metadataField:
			ok = v.IsMap() && h.metadata(v)
		default:
			ok = true
		}
		if !ok {
			return h, false
		}
	}
	return h, true
}

func (h *Head) metadata(m manifest.Node) bool {
	seen := field(0)
	for k, v := range m.Entries() {
		f := fieldOf(k.Value())
		if f == similarField || f != 0 && seen&f != 0 {
			return false
		}
		seen |= f
		if f == nameField && !v.IsScalar() || f == annotationsField && !(v.IsMap() && h.annotations(v)) {
			return false
		}
	}
	return true
}

func (h *Head) annotations(m manifest.Node) bool {
	for k, v := range m.Entries() {
		if !v.IsScalar() {
			return false
		}
		if string(k.Value()) != helmrelease.HookAnnotation {
			continue
		}
		var ok bool
		if h.Events, ok = lineOfText(v); h.hook || !ok {
			return false
		}
		h.hook = true
	}
	return true
}

// lineOfText returns a string of one line. One of several lines is not ok: a block scalar at the end of a document gets
// a line feed where the document is one of a stream.
func lineOfText(n manifest.Node) (string, bool) {
	v := n.Value()
	return string(v), n.Type() == manifest.String && bytes.IndexByte(v, '\n') < 0
}

// field is a set of the keys that helm reads in a head.
type field uint8

const (
	versionField field = 1 << iota
	kindField
	metadataField
	nameField
	annotationsField
	similarField // Helm may read it as one of the others
)

// fieldOf returns which of Helm's keys a key is. Helm's decoder ignores the case of letters.
func fieldOf(key []byte) field {
	switch string(key) {
	case "apiVersion":
		return versionField
	case "kind":
		return kindField
	case "metadata":
		return metadataField
	case "name":
		return nameField
	case "annotations":
		return annotationsField
	}
	for _, c := range key {
		if c >= 0x80 {
			return similarField
		}
	}
	switch len(key) {
	case len("apiVersion"), len("kind"), len("metadata"), len("annotations"):
		for _, known := range []string{"apiVersion", "kind", "metadata", "name", "annotations"} {
			if strings.EqualFold(string(key), known) {
				return similarField
			}
		}
	}
	return 0
}

// slowHead reads a head as helm does, and refuses what helm refuses.
func slowHead(doc string) (Head, error) {
	var h releaseutil.SimpleHead
	if err := yaml.Unmarshal([]byte(doc), &h); err != nil {
		return Head{}, err
	}
	if h.Metadata == nil {
		return Head{Kind: h.Kind}, nil
	}
	events, hook := h.Metadata.Annotations[helmrelease.HookAnnotation]
	return Head{Kind: h.Kind, hook: hook, Events: events}, nil
}
