package main

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// filesOf returns the manifests of applications as files of an artifact.
func filesOf(outcomes []fleet.Outcome, places []string) ([]artifact.File, error) {
	var files []artifact.File
	empty := true
	for i, o := range outcomes {
		var text bytes.Buffer
		if _, err := o.Result.WriteTo(&text); err != nil {
			return nil, err
		}
		name := "what " + cmp.Or(o.Name, places[i]) + " renders"
		hasContent, hasObject, err := contentOf(text.Bytes(), name)
		if err != nil {
			return nil, err
		}
		if !hasContent {
			continue
		}
		empty = empty && !hasObject
		edits, err := artifact.KeepVariables(text.Bytes(), name)
		if err != nil {
			return nil, err
		}
		files = append(files, artifact.File{
			Path: filepath.ToSlash(places[i]), Text: splice.Bytes(text.Bytes(), edits),
		})
	}
	if empty {
		err := errors.New("no object is rendered, and an empty artifact would delete what Flux applied")
		return nil, diag.Input(diag.Position{}, err, "Name the paths whose manifests Flux is to apply.")
	}
	return files, nil
}

// contentOf reports whether a text has more than comments, and whether it has an object.
func contentOf(text []byte, name string) (hasContent, hasObject bool, err error) {
	for d, err := range manifest.Documents(text, name) {
		if err != nil {
			return false, false, err
		}
		hasContent = hasContent || d.Root().Valid()
		for range d.Objects() {
			return true, true, nil
		}
	}
	return hasContent, false, nil
}
