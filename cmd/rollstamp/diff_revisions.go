package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/diff/inputs"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// compareRevisions compares what the paths hold in two revisions, or in one and the work tree.
func (p *program) compareRevisions(ctx context.Context, d *diffCommand, paths []string) (*diff.Comparison, error) {
	repo, err := git.Open(filepath.FromSlash(paths[0]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }() // it was only read from
	top, err := topAsSeen(repo.Top)
	if err != nil {
		return nil, err
	}
	if err := inside(top, paths); err != nil {
		return nil, err
	}
	to := &site{label: worktree, roots: p.wiring.Disk().Roots}
	if d.to != worktree {
		if to, err = placeOf(repo, top, d.to); err != nil {
			return nil, err
		}
	} else if repo.Bare {
		return nil, diag.Usage(errors.New("a bare repository has no work tree"), "Name a revision with --to.")
	}
	base, err := baseOf(repo, d)
	if err != nil {
		return nil, err
	}
	from, err := placeOf(repo, top, base)
	if err != nil {
		return nil, err
	}
	return p.comparePlaces(ctx, d, comparison{top: top, from: from, to: to}, paths)
}

// topAsSeen returns the repository's top as a path that begins as the working folder's does, which may lie behind links.
func topAsSeen(top string) (string, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	real, err := filepath.EvalSymlinks(here)
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	rel, err := filepath.Rel(real, top)
	if err != nil {
		return top, nil
	}
	return filepath.Join(here, rel), nil
}

// inside refuses paths that no revision of the repository can hold: on both sides they would be what lies on the disk.
func inside(top string, paths []string) error {
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("find %s: %w", path, err)
		}
		if !files.Within(top, abs) {
			return diag.Usage(fmt.Errorf("%s is outside of the repository %s", path, top), "Compare the applications of each repository by themselves, and name them as seen from there.")
		}
	}
	return nil
}

func placeOf(repo *git.Repository, top, rev string) (*site, error) {
	tree, err := repo.Tree(rev)
	if err != nil {
		return nil, err
	}
	system := files.Mount{At: top, Tree: tree}
	return &site{label: rev, files: system, roots: &config.Roots{Files: system}, tree: tree}, nil
}

// baseOf returns the revision to compare with: what was asked for, or where the new side left the default branch.
func baseOf(repo *git.Repository, d *diffCommand) (string, error) {
	if d.from != "" {
		return d.from, nil
	}
	main, err := repo.DefaultBranch()
	if err != nil {
		return "", err
	}
	to := d.to
	if to == worktree {
		to = "HEAD"
	}
	return repo.MergeBase(main, to)
}

// comparison is two places to compare.
type comparison struct {
	top      string // of the repository, as the paths of both begin
	from, to *site
}

// unchanged reports whether an application that was rendered on the new side would be the same on the old one.
func (p *program) unchanged(d *diffCommand, c comparison, path string, now *pipeline.Result) bool {
	settings, err := p.wiring.Settings(d.flags(), app.Place{Roots: c.to.roots}, path)
	if err != nil {
		return false
	}
	abs, err := filepath.Abs(path)
	sides := git.Sides{Top: c.top, From: c.from.tree, To: c.to.tree}
	return err == nil && inputs.Same(sides, inputs.App{Path: abs, Read: now.Output.Inputs, Context: config.Strings(settings.Context.Value)})
}

func (p *program) comparePlaces(ctx context.Context, d *diffCommand, c comparison, patterns []string) (*diff.Comparison, error) {
	now, err := expand(c.to.files, patterns)
	if err != nil {
		return nil, err
	}
	before, err := expand(c.from.files, patterns)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(now, before)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return nil, diag.Input(diag.Position{}, fmt.Errorf("find applications: nothing fits %s on either side", strings.Join(patterns, ", ")), "")
	}
	all = d.shard.keep(all)
	from, to := diff.Side{Label: short(c.from), Apps: make([]diff.App, len(all))}, diff.Side{Label: short(c.to), Apps: make([]diff.App, len(all))}
	line := p.progress(len(all))
	errs := pipeline.Each(ctx, len(all), func(ctx context.Context, i int) error {
		path := all[i]
		if slices.Contains(now, path) {
			to.Apps[i] = p.diffApp(ctx, &d.renderFlags, c.to, path)
		}
		switch {
		case !slices.Contains(before, path):
		case to.Apps[i].Result != nil && p.unchanged(d, c, path, to.Apps[i].Result):
			from.Apps[i] = to.Apps[i]
		default:
			from.Apps[i] = p.diffApp(ctx, &d.renderFlags, c.from, path)
		}
		return ctx.Err()
	}, line.show)
	line.clear()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	here := func(a diff.App) bool { return a.Name == "" }
	from.Apps, to.Apps = slices.DeleteFunc(from.Apps, here), slices.DeleteFunc(to.Apps, here)
	return p.placed(ctx, d, c, from, to)
}

// placed compares two sides, and sees to it that the objects that a report tells the place of know it. For those of a kustomization that
// costs another build, so only applications are built again that need it: for a person those in which something restarts for nothing,
// for programs all that have changed.
func (p *program) placed(ctx context.Context, d *diffCommand, c comparison, from, to diff.Side) (*diff.Comparison, error) {
	forPeople := d.output == "text" || d.output == "count"
	old := map[string]*pipeline.Result{}
	for _, app := range from.Apps {
		old[app.Name] = app.Result
	}
	if !forPeople {
		err := p.trace(ctx, d, c, to, func(app diff.App) bool {
			was := old[app.Name]
			return was == nil || !bytes.Equal(was.Output.Text, app.Result.Output.Text)
		})
		if err != nil {
			return nil, err
		}
	}
	out, err := diff.Compare(from, to)
	if err == nil && forPeople && slices.ContainsFunc(out.Restarts, func(r diff.Restart) bool { return r.Noise }) {
		err = p.trace(ctx, d, c, to, func(app diff.App) bool {
			return slices.ContainsFunc(out.Restarts, func(r diff.Restart) bool { return r.Noise && r.App == app.Name })
		})
		if err == nil {
			out, err = diff.Compare(from, to)
		}
	}
	if err != nil {
		return nil, err
	}
	out.Complete(render.NewLines(c.to.files))
	return out, nil
}

// trace renders applications of the new side once more, those of kustomizations that are wanted: then each object knows its file.
func (p *program) trace(ctx context.Context, d *diffCommand, c comparison, to diff.Side, wanted func(diff.App) bool) error {
	var all []int
	for i, app := range to.Apps {
		if app.Result != nil && app.Result.Output.Kind == render.KindKustomize && wanted(app) {
			all = append(all, i)
		}
	}
	defer hold(new(bytes.Buffer))() // what engines have to say, they have said
	errs := pipeline.Each(ctx, len(all), func(ctx context.Context, i int) error {
		to.Apps[all[i]] = p.traced(ctx, &d.renderFlags, c.to, to.Apps[all[i]])
		return ctx.Err()
	}, nil)
	return errors.Join(errs...)
}

func short(at *site) string {
	if at.tree == nil {
		return at.label
	}
	if commit := at.tree.Commit; strings.HasPrefix(commit, at.label) {
		return commit[:min(len(commit), 12)]
	}
	return at.label
}
