package artifact

import (
	"bytes"
	"errors"

	"github.com/rollstamp/rollstamp/flux/metadata"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// substituteLabel keeps kustomize-controller from substituting variables in an object.
const substituteLabel = "kustomize.toolkit.fluxcd.io/substitute"

// KeepVariables returns the edits of manifests after which each object that holds a "${" has the label with which no
// Kustomization substitutes it: what is rendered was substituted already, or is not meant for Flux.
func KeepVariables(text []byte, name string) (edits []splice.Edit, err error) {
	if !bytes.Contains(text, []byte("${")) {
		return nil, nil
	}
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(d.Bytes(), []byte("${")) {
			continue
		}
		made, err := label(d)
		if errors.Is(err, splice.ErrNotInPlace) {
			made, err = labelAgain(d)
		}
		if errors.Is(err, splice.ErrNotInPlace) { // its characters are escaped, as kustomize writes those beyond 16 bits
			made, err = metadata.New(map[string]string{substituteLabel: "disabled"}, nil).Edits(d)
		}
		if err != nil {
			return nil, err
		}
		edits = append(edits, made...)
	}
	splice.Sort(edits)
	return edits, nil
}

// label returns the edits that label the objects of a document in which a variable is written.
func label(d *manifest.Document) (out []splice.Edit, err error) {
	several := d.Root().Get("items").IsSeq()
	for o := range d.Objects() {
		written := d.Text()[o.Node.Offset():max(o.Node.End(), o.Node.Offset())]
		if d.Fast() && several && !bytes.Contains(written, []byte("${")) {
			continue
		}
		edits, err := splice.Set(o.Node, []string{"metadata", "labels", substituteLabel}, "disabled")
		if err != nil {
			return nil, err
		}
		out = append(out, edits...)
	}
	return out, nil
}

// labelAgain labels the objects of a document whose text has no place for that, in a text that is encoded again.
func labelAgain(d *manifest.Document) ([]splice.Edit, error) {
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, err := label(again)
	if err != nil {
		return nil, err
	}
	splice.Sort(edits)
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(again.Text(), edits))}}, nil
}
