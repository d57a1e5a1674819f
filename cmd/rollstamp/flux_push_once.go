package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// onceEach leaves each object in the first of the files that have it, and says so: one Kustomization applies all of
// them, and kustomize takes no object twice. Objects that differ are an error.
func onceEach(files []artifact.File, notes io.Writer) ([]artifact.File, error) {
	type place struct {
		file string
		text []byte
	}
	first := map[string]place{}
	for i, f := range files {
		var edits []splice.Edit
		for d, err := range manifest.Documents(f.Text, f.Path) {
			if err != nil {
				return nil, err
			}
			for o := range d.Objects() {
				id := strings.Join([]string{o.Group(), o.Kind, o.Namespace, o.Name}, "\x00")
				other, known := first[id]
				switch {
				case o.Name == "":
				case !known:
					first[id] = place{f.Path, bytes.Clone(d.Body())}
				case !o.Node.SameAs(d.Root()) || !isSameForFlux(other.text, d.Body()):
					return nil, &diag.Error{Exit: diag.ExitInput, Object: o.String(),
						Err:  fmt.Errorf("%s and %s both have it, and it differs: one Kustomization cannot apply both", other.file, f.Path),
						Hint: "Have one of the two Kustomizations apply it, or publish them as artifacts of their own."}
				default:
					fmt.Fprintf(notes, "note: %s is published once: %s and %s both have it\n", o, other.file, f.Path)
					edits = append(edits, splice.Edit{Start: d.Start, End: d.End})
				}
			}
		}
		files[i].Text = splice.Bytes(f.Text, edits)
	}
	return files, nil
}

// refuseTwice returns the error of an object that several of the published applications have in their files: of a
// branch, as of an artifact, one Kustomization applies all files. Those that are not there are reported elsewhere.
func (o *outputFolder) refuseTwice(names []string) error {
	if o == nil {
		return nil
	}
	s, isPublished := o.source.(*publish.Source)
	if !isPublished {
		return nil
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.IsPublished(name) })
	places, err := fleet.Objects.Places(o.run.Dir, names)
	if err != nil {
		return err
	}
	var there []artifact.File
	for _, place := range places {
		if text, err := os.ReadFile(place); err == nil {
			there = append(there, artifact.File{Path: place, Text: text})
		}
	}
	var twice bytes.Buffer
	if _, err := onceEach(there, &twice); err != nil || twice.Len() == 0 {
		return err
	}
	what, _, _ := strings.Cut(strings.TrimPrefix(twice.String(), "note: "), " is published once: ")
	_, both, _ := strings.Cut(twice.String(), " is published once: ")
	both, _, _ = strings.Cut(both, "\n")
	return &diag.Error{Exit: diag.ExitInput, Object: what,
		Err:  errors.New(both + ", and the Kustomization that reads them cannot apply it twice"),
		Hint: "Have one of the two Kustomizations apply it."}
}

// isSameForFlux reports whether two documents hold the same, but for the labels that name what applies them.
func isSameForFlux(a, b []byte) bool {
	var trees [2]map[string]any
	for i, text := range [][]byte{a, b} {
		if yaml.Unmarshal(text, &trees[i]) != nil {
			return false
		}
		meta, _ := trees[i]["metadata"].(map[string]any)
		labels, _ := meta["labels"].(map[string]any)
		delete(labels, objects.KustomizeGroup+"/name")
		delete(labels, objects.KustomizeGroup+"/namespace")
	}
	return reflect.DeepEqual(trees[0], trees[1])
}
