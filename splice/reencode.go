package splice

import (
	"bytes"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// Reencode encodes a document again, with aliases and merge keys resolved: it can be changed in place then. Kubernetes'
// own library writes it, so that every value but a name is what Kubernetes would have read. Its separator, its end
// marker and the comments before its first field stay.
func Reencode(d *manifest.Document) (*manifest.Document, error) {
	j, err := yaml.YAMLToJSON(d.Body())
	var body []byte
	if err == nil {
		body, err = yaml.JSONToYAML(j)
	}
	if err != nil {
		// The library's message may quote a value.
		return nil, reencodeError(d, errors.New("it holds what JSON cannot express"))
	}
	text := append(head(d), body...)
	text = append(text, endMarker(d.Bytes())...)
	n, err := manifest.Parse(text)
	if err == nil {
		if edits := keepNames(d, n); len(edits) > 0 {
			n, err = manifest.Parse(Bytes(text, edits))
		}
	}
	if err != nil {
		return nil, reencodeError(d, err)
	}
	return n.Clone(), nil
}

// keepNames returns the edits that leave names and namespaces the texts that they were, as in n and 012: Kubernetes
// takes them for a boolean and a number, and would look for what has none of these names.
func keepNames(d, n *manifest.Document) (edits []Edit) {
	fields := [...]string{"name", "namespace"}
	var was [][len(fields)]string
	for o := range d.Objects() {
		was = append(was, [...]string{o.Name, o.Namespace})
	}
	i := 0
	for o := range n.Objects() {
		for k, field := range fields {
			at := o.Node.At("metadata", field)
			if t := at.Type(); i < len(was) && (t == manifest.Bool || t == manifest.Number) {
				made, _ := SetString(at, was[i][k])
				edits = append(edits, made...)
			}
		}
		i++
	}
	Sort(edits)
	return edits
}

func reencodeError(d *manifest.Document, err error) error {
	line := 1 + bytes.Count(d.Text()[:d.Start], []byte{'\n'})
	return diag.Input(diag.Position{Line: line}, fmt.Errorf("encode the document again: %w", err),
		"Write its aliases and merge keys out.")
}

// head returns the lines before the first field: comments, blank ones, and the separator without what else is on its
// line.
func head(d *manifest.Document) (out []byte) {
	if d.HasOtherLineBreaks() {
		if bytes.HasPrefix(d.Bytes(), []byte("---")) {
			return []byte("---\n")
		}
		return nil
	}
	for line := range bytes.Lines(d.Bytes()) {
		rest, separator := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), []byte("---"))
		rest = bytes.TrimSpace(rest)
		switch {
		case len(rest) == 0 || rest[0] == '#':
			out = append(out, line...)
		case separator:
			return append(out, "---\n"...)
		default:
			return out
		}
	}
	return out
}

// endMarker returns the line of dots that ends the document, or nothing.
func endMarker(doc []byte) []byte {
	last := doc[bytes.LastIndexByte(bytes.TrimRight(doc, "\r\n"), '\n')+1:]
	if rest, dots := bytes.CutPrefix(last, []byte("...")); dots && bytes.IndexAny(rest, " \t\r\n") <= 0 {
		return last
	}
	return nil
}
