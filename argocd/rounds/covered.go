package rounds

import (
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// described is an Application that a file describes, or one of an ApplicationSet there.
type described struct {
	*apps.Application
	reads []string // absolute paths of the files that its render read
}

// read adds what the render of a source read. A folder of plain manifests has no part in it: what it renders is known
// by the places in its files.
func (d *described) read(kind render.Kind, inputs []string) {
	if kind != render.KindPlain {
		d.reads = append(d.reads, inputs...)
	}
}

// covered reports for each Application whether its file is one that the render of another reads, as of a child that the
// kustomization of an app of apps names: what Argo CD has is what is rendered there, under another name maybe. Where
// there is none that no other reads, as where two read each other, all stay.
func covered(all []described) []bool {
	in := map[string][]int{} // by file
	for i, d := range all {
		if d.Pos.File == "" {
			continue
		}
		path, err := filepath.Abs(d.Pos.File)
		if err == nil {
			in[path] = append(in[path], i)
		}
		if real, err := files.RealPath(nil, d.Pos.File); err == nil && real != path {
			in[real] = append(in[real], i)
		}
	}
	below, isRead := make([][]int, len(all)), make([]bool, len(all))
	for by, d := range all {
		for _, file := range d.reads {
			for _, i := range in[file] {
				if i != by {
					below[by] = append(below[by], i)
					isRead[i] = true
				}
			}
		}
	}
	out := make([]bool, len(all))
	var cover func(by int)
	cover = func(by int) {
		for _, i := range below[by] {
			if !out[i] {
				out[i] = true
				cover(i)
			}
		}
	}
	for i := range all {
		if !isRead[i] {
			cover(i)
		}
	}
	return out
}

// isAgain reports whether an Application is one that was found before, or is described in the same words.
func isAgain(before, a *apps.Application) bool { return before.Pos == a.Pos || before.Same(a) }

// repeated returns the error of an Application whose name another has.
func repeated(before, a *apps.Application) error {
	return a.Fail(fmt.Errorf("another Application of this name stands at %s, and one of the two is meant", before.Pos),
		"Name the files of one Argo CD only, without a folder that render --output-dir writes, or give them other names.")
}
