package sources

import (
	"bytes"
	"encoding/base64"
)

// odd gives a decoder where some of the object's values are not what a container will read; nil where all are.
func (o *Object) odd() *decoder {
	d := &decoder{sops: o.node.Get("sops").IsMap()}
	if d.sops || o.placeholders() {
		for i, note := range noteFields {
			d.notes[i] = text(o.Annotation(note[1]))
		}
		d.vault = !d.notes[0].void()
		d.ignore = o.Annotation("avp.kubernetes.io/ignore") == "true"
		return d
	}
	return nil
}

// placeholders tells whether some value may be one of another tool's placeholders.
func (o *Object) placeholders() bool {
	vault := o.Annotation("avp.kubernetes.io/path") != ""
	for _, f := range contentFields[o.Kind] {
		n := o.node.Get(f.name)
		encoded := f.base64 && (vault || n.End() == 0 || encodedPlaceholder(o.node.Document().Text()[n.Offset():n.End()]))
		for e := n.Fields(); e.Next(); {
			t := e.Value.Raw()
			switch {
			case bytes.IndexByte(t, '<') >= 0, bytes.IndexByte(t, '\\') >= 0:
				if bytes.Contains(t, escapedBracket) {
					t = e.Value.Value()
				}
			case encoded && (vault || encodedPlaceholder(t)):
				t, _ = base64.StdEncoding.DecodeString(e.Value.Given())
			default:
				continue
			}
			if placeholder(t, "<path:") || placeholder(t, "<secret:") || vault && placeholder(t, "<") {
				return true
			}
		}
	}
	return false
}

// escapedBracket is how Go's JSON encoder writes "<".
var escapedBracket = []byte(`\u003c`)

// encodedPlaceholder tells whether base64 may hold the beginning of a placeholder, which has three forms there by where it begins.
func encodedPlaceholder(t []byte) bool {
	for _, form := range [...]string{"PHBhdGg6", "xwYXRoO", "8cGF0aD", "PHNlY3JldD", "xzZWNyZXQ6", "8c2VjcmV0O"} {
		if bytes.Contains(t, []byte(form)) {
			return true
		}
	}
	return false
}

// placeholder tells whether text holds open, something, and ">".
func placeholder(text []byte, open string) bool {
	for {
		i := bytes.Index(text, []byte(open))
		if i < 0 {
			return false
		}
		text = text[i+len(open):]
		if end := bytes.IndexByte(text, '>'); end != 0 {
			return end > 0
		}
	}
}
