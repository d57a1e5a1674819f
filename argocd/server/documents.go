package server

import (
	"bytes"

	"github.com/rollstamp/rollstamp/manifest"
)

// Documents splits a stream of manifests as Argo CD's own plugin server does: empty and null documents are left out.
// They alias text, which must not change.
func Documents(text []byte) ([][]byte, error) {
	var out [][]byte
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return out, err
		}
		if !empty(d.Root()) {
			out = append(out, bytes.TrimSpace(d.Body()))
		}
	}
}

func empty(root manifest.Node) bool {
	if root.IsScalar() {
		switch string(root.Raw()) {
		case "", "~", "null", "Null", "NULL":
			return true
		}
	}
	return !root.Valid()
}
