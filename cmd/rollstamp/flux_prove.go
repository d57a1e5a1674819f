package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/workspace"
)

// prove renders what the changed files lead to once more, as they are to be, and returns those in which each stamp
// reaches its workload. Of the others it returns the objects, with an error for each: a name may be another one where
// patches are applied, and what applies an object may replace its patches.
func (f *fluxStampCommand) prove(
	ctx context.Context, p *program, before app.Source, paths []string, changed []*fluxFile,
) (proven []*fluxFile, lost []*fluxMember, err error) {
	if len(changed) == 0 {
		return nil, nil, nil
	}
	contents, failed := map[string][]byte{}, map[string]bool{}
	for _, file := range changed {
		path, err := realPath(file.name)
		if err != nil {
			return nil, nil, err
		}
		contents[path] = file.text
	}
	after, err := f.sourceWith(ctx, p, paths, contents)
	if err != nil {
		return nil, nil, err
	}
	if one, ok := after.(app.Described); ok {
		if other, ok := before.(app.Described); ok {
			one.Reuse(other, func(_ *app.Application, read []string) bool { return !readsOne(read, contents) })
		}
	}
	if _, err := after.Names(ctx); err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, file := range changed {
		for _, m := range file.members {
			if err := m.prove(ctx, after); err != nil {
				errs, lost = append(errs, err), append(lost, m)
				failed[file.name] = true
			}
		}
		if !failed[file.name] {
			proven = append(proven, file)
		}
	}
	return proven, lost, errors.Join(errs...)
}

// sourceWith returns the applications of files of which some have other contents.
func (f *fluxStampCommand) sourceWith(
	ctx context.Context, p *program, paths []string, contents map[string][]byte,
) (app.Source, error) {
	place := p.wiring.Disk()
	place.Files = files.Replaced{Contents: contents}
	return f.readers(p, workspace.WorkTree, "")["flux"](ctx, place, paths)
}

// readsOne reports whether one of the files that a render read has another content.
func readsOne(read []string, contents map[string][]byte) bool {
	for _, name := range read {
		if path, err := realPath(name); err != nil || contents[path] != nil {
			return true
		}
	}
	return false
}

// realPath returns the absolute path of a file, without links.
func realPath(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	return path, err
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
	found, err := patches.Find(text, text, refs.NewTable(int(s.Level.Value), s.Kinds.Value), beforeAffixes(a.Request()))
	if err != nil {
		return err
	}
	all := slices.Concat(m.wanted.Stamps, m.inPlace)
	for i := range all {
		if w := &all[i]; !w.AreIn(found.Stamps) {
			return m.wanted.Fail(fmt.Errorf("a patch does not give %s %s its stamps", w.Kind, w.Name),
				"Its name changes after patches are applied, or what applies this object replaces spec.patches.")
		}
	}
	return nil
}
