package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/flux/rounds"
	"github.com/rollstamp/rollstamp/pipeline"
)

// fluxFile is a file with Flux's objects, or with what they apply.
type fluxFile struct {
	name       string
	have, text []byte        // as it is, and as it is to be
	err        error         // why it cannot be read
	objects    *patches.Text // of have, once it was asked for
	members    []*fluxMember // those that it is written for
	edited     []*fluxMember // of these, those of which something changes in it
	doubted    []*fluxMember // others of these, whose stamps further patches may take away
	misfits    []patches.Misfit
	fitting    []byte // the text as it is, where those that fail set the same without; nil where none fails
}

// fluxFiles are the files of a run, each once.
type fluxFiles []*fluxFile

// file returns the file of a name.
func (all *fluxFiles) file(name string) *fluxFile {
	name = files.FromHere(name)
	if i := slices.IndexFunc(*all, func(f *fluxFile) bool { return f.name == name }); i >= 0 {
		return (*all)[i]
	}
	f := &fluxFile{name: name, err: fs.ErrNotExist}
	if name != "" {
		f.have, f.err = os.ReadFile(name)
	}
	f.text = f.have
	*all = append(*all, f)
	return f
}

// add adds a member that the file is written for, and whether something of it changes there.
func (f *fluxFile) add(m *fluxMember, change change) {
	if !slices.Contains(f.members, m) {
		f.members = append(f.members, m)
	}
	switch {
	case change == edited && !slices.Contains(f.edited, m):
		f.edited = append(f.edited, m)
	case change == doubted && !slices.Contains(f.doubted, m):
		f.doubted = append(f.doubted, m)
	}
}

// isChanged reports whether the file is to be written.
func (f *fluxFile) isChanged() bool { return !bytes.Equal(f.have, f.text) }

// write has the file have what is wanted of objects in it, and returns what cannot be written.
func (f *fluxFile) write(places []*fluxPlace) (failed map[*patches.Wanted]error) {
	wanted := make([]*patches.Wanted, len(places))
	for i, one := range places {
		wanted[i] = one.wanted
	}
	parsed, err := f.readable()
	if err == nil {
		f.text, failed = parsed.Write(wanted)
	}
	if err == nil && f.isChanged() {
		err = f.findMisfits(wanted)
	}
	if err != nil {
		failed = map[*patches.Wanted]error{}
	}
	for _, w := range wanted {
		switch {
		case errors.Is(f.err, fs.ErrNotExist):
			failed[w] = w.Generated()
		case err != nil:
			failed[w] = err
		}
	}
	return failed
}

// readable returns the objects of the file as it is to be, or why it cannot be read.
func (f *fluxFile) readable() (*patches.Text, error) {
	if f.err != nil {
		return nil, diag.Input(diag.Position{File: f.name}, fmt.Errorf("read: %w", files.Cause(f.err)), "")
	}
	return patches.Parse(f.text, f.name)
}

// parsed returns the file as it is; one without objects where it cannot be read.
func (f *fluxFile) parsed() *patches.Text {
	if f.objects == nil {
		var err error
		if f.objects, err = patches.Parse(f.have, f.name); err != nil {
			f.objects = &patches.Text{}
		}
	}
	return f.objects
}

// changes reports whether the file becomes another one where an object has what is wanted.
func (f *fluxFile) changes(wanted *patches.Wanted) bool { return f.parsed().Changes(wanted) }

// change is what becomes of what a file has of a member.
type change int

const (
	stays change = iota
	edited
	doubted
)

// fluxRun is what a run of flux stamp writes for: the members, and who else reads their files.
type fluxRun struct {
	members   []*fluxMember
	takes     func(*fluxMember) bool   // reports whether one is stamped; the others are rendered for these
	objects   []string                 // that describe the applications of the run
	failed    []fluxFailure            // the objects whose stamps are not known
	unchecked []diag.Finding           // of stamps that could not be compared with what is applied
	readers   map[string]int           // how many Kustomizations read a file, once that was asked for
	elsewhere func() *rounds.Elsewhere // of the other Kustomizations of the repository, looked for when first asked
	after     app.Source               // the applications with all that is to be written, once that is proven
	mayLose   func(name string) bool   // reports whether stamps that are there already may be without effect
	isOutside func(file string) bool   // reports whether a file is none of the repository's, and not written
	// with returns the applications of another state of the files: of files with other contents, and with the patches that
	// set nothing but stamps in the objects that are named.
	with func(ctx context.Context, contents map[string][]byte, patched map[string]bool) (app.Source, error)
}

// changedFiles returns the files of which some text changes, or has stamps that may be without effect; or the members
// for which nothing can be written, so that their stamps are to stay as they are.
func (r *fluxRun) changedFiles(ctx context.Context) (changed []*fluxFile, refused []refusal) {
	var all fluxFiles
	in := map[*fluxFile][]*fluxPlace{}
	placed, refused := r.place(ctx, &all)
	placed = slices.DeleteFunc(placed, func(one *fluxPlace) bool {
		return !one.wanted.KeepsOwn && !slices.ContainsFunc(one.of, r.takes)
	})
	for _, one := range placed {
		f := all.file(one.wanted.Pos.File)
		in[f] = append(in[f], one)
	}
	for _, f := range all {
		if len(in[f]) == 0 {
			continue
		}
		failed := r.writeFile(f, in[f])
		for _, one := range in[f] {
			if err := failed[one.wanted]; err != nil {
				refused = append(refused, r.refuse(one, err)...)
			}
		}
	}
	for _, one := range placed {
		f := all.file(one.wanted.Pos.File)
		change := f.changeOf(one.wanted)
		if change == stays && len(one.wanted.Stamps) > 0 && r.mayLose(one.at.app.Name()) {
			change = doubted
		}
		for _, m := range one.of {
			if !m.isKept && (m != one.at || !one.wanted.KeepsOwn) {
				f.add(m, change)
			}
		}
	}
	for _, f := range all {
		if f.isChanged() || len(f.doubted) > 0 {
			changed = append(changed, f)
		}
	}
	return changed, refused
}

// writeFile is fluxFile.write for a file that may be outside of the repository: it stays as it is.
func (r *fluxRun) writeFile(f *fluxFile, places []*fluxPlace) map[*patches.Wanted]error {
	if f.err != nil || !r.isOutside(f.name) {
		return f.write(places)
	}
	failed := map[*patches.Wanted]error{}
	for _, one := range places {
		if f.changes(one.wanted) {
			err := fmt.Errorf("its stamps belong into %s, which is not written: it lies outside of the repository", f.name)
			failed[one.wanted] = one.wanted.Fail(err, "Run rollstamp flux stamp where that file is published from, or have a "+
				"Kustomization of this repository apply the object: it gets the patches.")
		}
	}
	return failed
}

// findMisfits looks for patches in the file that were written for another list of patches than the one there is now.
func (f *fluxFile) findMisfits(all []*patches.Wanted) error {
	for _, w := range all {
		f.misfits = append(f.misfits, f.parsed().Misfits(w)...)
	}
	text, err := f.parsed().WithoutFailing(all)
	if err != nil {
		return err
	}
	if !bytes.Equal(text, f.have) {
		f.fitting = text
	}
	return nil
}

// changeOf returns whether what is wanted of an object is something else than what the file has.
func (f *fluxFile) changeOf(wanted *patches.Wanted) change {
	if f.err != nil || !f.isChanged() || !f.changes(wanted) {
		return stays
	}
	return edited
}

// isKustomization reports whether the member is a Kustomization.
func (m *fluxMember) isKustomization() bool { return m.app.Request().Kustomize.Overlay != nil }

// nameAsWritten has the stamps of workloads whose names hold variables be for the names that are written in the files:
// Flux substitutes them after it applies patches. It reports whether there are such.
func (m *fluxMember) nameAsWritten(ctx context.Context) (renamed bool) {
	if !m.isKustomization() {
		return false
	}
	trace := pipeline.NewTrace(ctx, m.app, m.output)
	for i := range m.wanted.Stamps {
		s := &m.wanted.Stamps[i]
		pos := trace.At(diag.Position{Line: s.Line}, "")
		text, err := files.OrDisk(m.app.Request().Files).ReadFile(pos.File)
		if err != nil || !bytes.Contains(text, []byte("${")) {
			continue
		}
		if name := patches.NameIn(text, s.Kind, s.Name); name != "" {
			s.Name, renamed = name, true
		}
	}
	return renamed
}
