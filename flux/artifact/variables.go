package artifact

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/metadata"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// substituteLabel keeps kustomize-controller from substituting variables in an object.
const substituteLabel = "kustomize.toolkit.fluxcd.io/substitute"

// KeepVariables returns the edits of manifests after which each object that holds a "${" or a "$$", which postBuild
// would change, has the label with which no Kustomization substitutes it: what is rendered was substituted already, or
// is not meant for Flux.
func KeepVariables(text []byte, name string) (edits []splice.Edit, err error) {
	if !mayHold(text) {
		return nil, nil
	}
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return nil, err
		}
		if !isWritten(d.Bytes()) && (!mayHold(d.Bytes()) || !holds(d.Root())) {
			continue
		}
		made, err := label(d, name)
		if errors.Is(err, splice.ErrNotInPlace) {
			made, err = labelAgain(d, name)
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

// unlabeled returns the error of an object that cannot have the label, but for what another way of writing it mends.
func unlabeled(o manifest.Object, name string, err error) error {
	if errors.Is(err, splice.ErrNotInPlace) {
		return err
	}
	return &diag.Error{Exit: diag.ExitInput, Object: o.String(), Err: fmt.Errorf("label %s: %w", name, err),
		Hint: "It holds a ${ or $$ and needs the label " + substituteLabel + "; metadata.labels has to be a mapping."}
}

// isWritten reports whether a text has the beginning of a variable, or what substitution takes for an escaped sign.
func isWritten(text []byte) bool {
	return bytes.Contains(text, []byte("${")) || bytes.Contains(text, []byte("$$"))
}

// mayHold reports whether a value of a text may have it: its characters may be escaped, and kustomize-controller reads
// the values.
func mayHold(text []byte) bool { return isWritten(text) || bytes.IndexByte(text, '\\') >= 0 }

// holds reports whether a key or a value of a node has the beginning of a variable.
func holds(n manifest.Node) bool {
	return manifest.AnyScalar(n, func(one manifest.Node) bool { return isWritten(one.Value()) })
}

// label returns the edits that label the objects of a document in which a variable is written.
func label(d *manifest.Document, name string) (out []splice.Edit, err error) {
	several := d.Root().Get("items").IsSeq()
	for o := range d.Objects() {
		written := d.Text()[o.Node.Offset():max(o.Node.End(), o.Node.Offset())]
		if d.Fast() && several && !isWritten(written) && (!mayHold(written) || !holds(o.Node)) {
			continue
		}
		edits, err := splice.Set(o.Node, []string{"metadata", "labels", substituteLabel}, "disabled")
		if err != nil {
			return nil, unlabeled(o, name, err)
		}
		out = append(out, edits...)
	}
	return out, nil
}

// labelAgain labels the objects of a document whose text has no place for that, in a text that is encoded again.
func labelAgain(d *manifest.Document, name string) ([]splice.Edit, error) {
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, err
	}
	edits, err := label(again, name)
	if err != nil {
		return nil, err
	}
	splice.Sort(edits)
	return []splice.Edit{{Start: d.Start, End: d.End, Text: string(splice.Bytes(again.Text(), edits))}}, nil
}
