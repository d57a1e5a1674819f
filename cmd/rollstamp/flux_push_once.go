package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// sighting is the first of some files that has an object, and the document there.
type sighting struct {
	file string
	text []byte
}

// sightings are the objects of the files that were looked through, by what no two objects of a Kustomization have in
// common.
type sightings map[[4]string]sighting

// look goes through the objects of a file, and calls again with those that were seen before, the document of each, and
// where that was.
func (all sightings) look(
	file string, text []byte, again func(o manifest.Object, d *manifest.Document, first sighting) error,
) error {
	for d, err := range manifest.Documents(text, file) {
		if err != nil {
			return err
		}
		for o := range d.Objects() {
			id := [4]string{o.Group(), o.Kind, o.Namespace, o.Name}
			first, seen := all[id]
			switch {
			case o.Name == "":
			case !seen:
				all[id] = sighting{file, bytes.Clone(d.Body())}
			default:
				if err := again(o, d, first); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// onceEach leaves each object in the first of the files that have it, and says so: one Kustomization applies all of
// them, and kustomize takes no object twice. Objects that differ are an error.
func onceEach(files []artifact.File, notes io.Writer) ([]artifact.File, error) {
	all := sightings{}
	for i, f := range files {
		var edits []splice.Edit
		err := all.look(f.Path, f.Text, func(o manifest.Object, d *manifest.Document, first sighting) error {
			if !o.Node.SameAs(d.Root()) || !isSameForFlux(first.text, d.Body()) {
				return &diag.Error{Exit: diag.ExitInput, Object: o.String(),
					Err:  fmt.Errorf("%s and %s both have it, and it differs: one Kustomization cannot apply both", first.file, f.Path),
					Hint: "Have one of the two Kustomizations apply it, or publish them as artifacts of their own."}
			}
			fmt.Fprintf(notes, "note: %s is published once: %s and %s both have it\n", o, first.file, f.Path)
			edits = append(edits, splice.Edit{Start: d.Start, End: d.End})
			return nil
		})
		if err != nil {
			return nil, err
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
	all, isNoted := sightings{}, errors.New("an object is in two files")
	for _, place := range places {
		text, err := os.ReadFile(place)
		if err != nil {
			continue
		}
		err = all.look(place, text, func(o manifest.Object, _ *manifest.Document, first sighting) error {
			if first.file == place {
				return nil
			}
			fmt.Fprintf(notes, "note: %s is in %s and in %s: a Kustomization that reads both files can apply neither\n",
				o, first.file, place)
			return isNoted
		})
		if errors.Is(err, isNoted) {
			return
		}
	}
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
