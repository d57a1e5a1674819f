package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
)

// prove renders what the changed files lead to once more, as they are to be, and returns the members whose stamps do
// not reach their workloads: a name may be another one where patches are applied, and what applies an object may
// replace its patches. Those in what one of them applies are left to the next attempt, as they may fail of that.
func (r *fluxRun) prove(ctx context.Context, changed []*fluxFile) (lost []refusal, err error) {
	if len(changed) == 0 {
		return nil, nil
	}
	contents := map[string][]byte{}
	for _, file := range changed {
		if !file.isChanged() {
			continue
		}
		path, err := files.RealPath(nil, file.name)
		if err != nil {
			return nil, err
		}
		contents[path] = file.text
	}
	after, err := r.with(ctx, contents, r.patched(changed))
	if err != nil {
		return nil, err
	}
	r.after = after
	failed := map[*fluxMember]bool{}
	for _, file := range changed {
		for _, m := range slices.Concat(file.edited, file.doubted) {
			if err := r.proveOne(ctx, m, after); err != nil && !failed[m] {
				failed[m] = true
				lost = append(lost, refusal{m, err})
			}
		}
	}
	return slices.DeleteFunc(lost, func(one refusal) bool {
		for at := r.parentOf(one.of); at != nil; at = r.parentOf(at) {
			if failed[at] {
				return true
			}
		}
		return false
	}), ctx.Err()
}

// proveOne returns the error of a member whose stamps do not reach their workloads, or of what applies it.
func (r *fluxRun) proveOne(ctx context.Context, m *fluxMember, after app.Source) error {
	for at := r.parentOf(m); at != nil; at = r.parentOf(at) {
		if _, err := after.Application(ctx, at.app.Name()); err != nil {
			return err
		}
	}
	return m.prove(ctx, after)
}

// patched returns the objects of which something changes, and those that apply them.
func (r *fluxRun) patched(changed []*fluxFile) map[string]bool {
	out := map[string]bool{}
	for _, file := range changed {
		for _, m := range slices.Concat(file.edited, file.doubted) {
			for at := m; at != nil && !out[at.wanted.String()]; at = r.parentOf(at) {
				out[at.wanted.String()] = true
			}
		}
	}
	return out
}

// readsOne reports whether one of the files that a render read has another content.
func readsOne(read []string, contents map[string][]byte) bool {
	for _, name := range read {
		if path, err := files.RealPath(nil, name); err != nil || contents[path] != nil {
			return true
		}
	}
	return false
}

// prove returns an error for a workload that does not get its stamps.
func (m *fluxMember) prove(ctx context.Context, after app.Source) error {
	a, err := after.Application(ctx, m.app.Name())
	if err != nil {
		return err
	}
	result, err := pipeline.Run(ctx, a.WithoutStamping())
	if err != nil {
		return err
	}
	s := m.app.Settings()
	text := result.Output.Text
	kinds := refs.NewTable(int(s.Level.Value), s.Kinds.Value)
	found, err := patches.Find(text, text, kinds, app.StampPrefix(s), beforeAffixes(a.Request()))
	if err != nil {
		return err
	}
	all := slices.Concat(m.wanted.Stamps, m.inPlace)
	for i := range all {
		if w := &all[i]; !w.AreIn(found.Stamps) {
			return m.wanted.Fail(fmt.Errorf("a patch does not give %s %s its stamps", w.Kind, w.Name),
				"Its name changes after patches are applied; a later patch removes them, or a replacement or transformer of its "+
					"kustomization; or what applies this object replaces spec.patches.")
		}
	}
	before, err := patches.Find(m.output.Text, m.output.Text, kinds, app.StampPrefix(s), beforeAffixes(a.Request()))
	if err != nil {
		return err
	}
	if name := patches.Exceed(found.Stamps, before.Stamps, all); name != "" {
		return m.wanted.Fail(fmt.Errorf("%s gets stamps of a patch for another object", m.output.Secrets().In(name)),
			"Its name is what the other's becomes, or the other's name fits it: write names that are further apart.")
	}
	return nil
}
