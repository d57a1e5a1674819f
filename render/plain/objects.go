package plain

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// manifests reports whether a YAML file holds Kubernetes objects, as Argo CD decides it: a file whose first document is
// none, and that does not look as if it were to be some, belongs to somebody else. One that begins with objects must
// hold nothing else.
func manifests(name string, text []byte) (bool, error) {
	objects := 0
	for r := manifest.NewReader(text); ; {
		doc, err := r.Next()
		if err == nil && doc == nil {
			return true, nil
		}
		if err == nil {
			root := doc.Root()
			switch {
			case !root.Valid() || root.Type() == manifest.Null:
				continue
			case root.IsMap() && root.Get("kind").StringValue() != "":
				objects++
				continue
			}
			err = diag.Input(diag.Position{Line: 1 + bytes.Count(text[:root.Offset()], []byte("\n"))},
				errors.New("a document without a kind"), "")
		}
		if objects == 0 && !looksLikeObject(text) {
			return false, nil
		}
		var e *diag.Error
		pos := diag.Position{File: name}
		if errors.As(err, &e) {
			pos.Line, err = e.Pos.Line, e.Err
		}
		return false, diag.Input(pos, err,
			"Argo CD leaves a YAML file out only where no document of it looks like a Kubernetes object; exclude it.")
	}
}

func looksLikeObject(text []byte) bool {
	for _, word := range []string{"apiVersion:", "kind:", "metadata:"} {
		if !bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	return true
}

// oneObject checks that a JSON text is one Kubernetes object and nothing else.
func oneObject(name string, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte(bom))))
	var o struct {
		Kind string `json:"kind"`
	}
	switch err := dec.Decode(&o); {
	case errors.Is(err, io.EOF):
		return diag.Input(diag.Position{File: name}, errors.New("the file is empty; a JSON file holds one object"), "")
	case err != nil:
		return notOneObject(name, text, err)
	case o.Kind == "":
		return diag.Input(diag.Position{File: name}, errors.New("an object without a kind"), "")
	case dec.More():
		return diag.Input(diag.Position{File: name}, errors.New("several objects; a JSON file holds one"),
			"Put them into files of their own, or into a List.")
	}
	return nil
}

// notOneObject returns the error of a JSON text that is none, without the library's words, which may quote it.
func notOneObject(name string, text []byte, err error) error {
	pos, what := diag.Position{File: name}, "not one object"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		end := min(max(int(syntax.Offset)+len(text)-len(bytes.TrimPrefix(text, []byte(bom))), 0), len(text))
		pos.Line = 1 + bytes.Count(text[:end], []byte("\n"))
		if strings.HasSuffix(syntax.Error(), "exceeded max depth") {
			what = "exceeded max depth of 10000"
		}
	}
	return diag.Input(pos, errors.New("parse JSON: "+what), "")
}
