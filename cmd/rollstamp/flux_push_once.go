package main

import (
	"bytes"
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
				id := idOf(o)
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

// noteTwice says of the first object that several of the published applications have in their files that one
// Kustomization cannot apply the folder: whether one does so, or each file has its own, is not known here. Files that
// are not there are reported elsewhere.
func (o *outputFolder) noteTwice(names []string, notes io.Writer) {
	s, isPublished := o.source.(*publish.Source)
	if !isPublished {
		return
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.IsPublished(name) })
	places, err := fleet.Objects.Places(o.run.Dir, names)
	if err != nil {
		return
	}
	first := map[string]string{}
	for _, place := range places {
		text, err := os.ReadFile(place)
		if err != nil {
			continue
		}
		for d, err := range manifest.Documents(text, place) {
			if err != nil {
				break
			}
			for o := range d.Objects() {
				id := idOf(o)
				if other, known := first[id]; known && other != place {
					fmt.Fprintf(notes, "note: %s is in %s and in %s: a Kustomization that reads both files can apply neither\n", o, other, place)
					return
				}
				first[id] = place
			}
		}
	}
}

// idOf returns what no two objects of a Kustomization have in common.
func idOf(o manifest.Object) string {
	return strings.Join([]string{o.Group(), o.Kind, o.Namespace, o.Name}, "\x00")
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
