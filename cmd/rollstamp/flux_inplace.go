package main

import (
	"bytes"
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/pipeline"
)

// writeInPlace writes stamps into the objects themselves where the configuration has that and it can be, and returns
// what is left for patches. What objects have of before, and are not to have there, goes.
func (r *fluxRun) writeInPlace(ctx context.Context, m *fluxMember, all *fluxFiles) *patches.Wanted {
	m.inPlace = nil
	inPlace := m.app.Settings().FluxWrite.Value == config.WriteInPlace
	if !m.isKustomization() || !inPlace && len(m.written) == 0 {
		return m.wanted
	}
	left := *m.wanted
	trace := pipeline.NewTrace(ctx, m.app, m.output)
	if inPlace {
		left.Stamps = nil
		for i := range m.wanted.Stamps {
			if s := &m.wanted.Stamps[i]; r.writeInFile(trace, m, s, all) {
				m.inPlace = append(m.inPlace, *s)
			} else {
				left.Stamps = append(left.Stamps, *s)
			}
		}
	}
	for i := range m.written {
		if s := &m.written[i]; !m.keepsWritten(s) {
			r.writeInFile(trace, m, s, all)
		}
	}
	return &left
}

// keepsWritten reports whether stamps in the file of an object are those that it is to have there, or stay as they are
// because what they are of does not reach the cluster now.
func (m *fluxMember) keepsWritten(s *patches.Stamps) bool {
	isOf := func(o patches.Stamps) bool { return o.Object() == s.Object() }
	isFrozen := func(o patches.Stamps) bool { return isOf(o) && len(o.Frozen) > 0 }
	return slices.ContainsFunc(m.inPlace, isOf) || slices.ContainsFunc(m.wanted.Stamps, isFrozen)
}

// writeInFile writes stamps into the object itself, and reports whether it can be: its file is read once.
func (r *fluxRun) writeInFile(trace *pipeline.Trace, m *fluxMember, s *patches.Stamps, all *fluxFiles) bool {
	name := trace.At(diag.Position{Line: s.Line}, "").File
	if name == "" || !r.isReadOnce(name) || r.isOutside(name) {
		return false
	}
	f := all.file(name)
	text, ok := patches.InPlace(f.text, f.name, s, m.wanted.Prefix)
	if !ok || f.err != nil {
		return false
	}
	if bytes.Equal(text, f.text) {
		f.add(m, stays)
	} else {
		f.add(m, edited)
	}
	f.text = text
	return true
}

// isReadOnce reports whether one Kustomization alone reads a file, of all in the repository.
func (r *fluxRun) isReadOnce(name string) bool {
	if r.readers == nil {
		r.readers = map[string]int{}
		for _, m := range r.members {
			if !m.isKustomization() {
				continue
			}
			read := map[string]bool{}
			for _, path := range m.output.Inputs {
				read[files.FromHere(path)] = true
			}
			for file := range read {
				r.readers[file]++
			}
		}
	}
	return r.readers[files.FromHere(name)] == 1 && !r.failedBelow(name) && len(r.elsewhere().Readers(name)) == 0
}
