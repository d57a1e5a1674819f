package sides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/protect"
	"github.com/rollstamp/rollstamp/render"
)

// Revisions compares what patterns hold in two revisions, or in one and the work tree. An empty from is where the new
// side left the default branch.
func (r Renderer) Revisions(ctx context.Context, from, to string, patterns []string) (*diff.Comparison, error) {
	repo, err := git.Open(filepath.FromSlash(patterns[0]))
	if err != nil {
		return nil, withoutRepository(err)
	}
	defer func() { _ = repo.Close() }() // it was only read from
	b, err := bothSides(repo, from, to, patterns)
	if err != nil {
		return nil, err
	}
	if err := b.noRevisions(repo, b.patterns); err != nil {
		return nil, err
	}
	return r.compare(ctx, b, b.patterns)
}

// withoutRepository returns the error of a path that lies in no repository with what can be compared all the same.
func withoutRepository(err error) error {
	known, ok := err.(*diag.Error) //nolint:errorlint // what wraps it has words of its own
	if !ok || known.Hint != "" {
		return err
	}
	with := *known
	with.Hint = "Revisions are those of the repository around a path; rollstamp diff --dirs compares two folders without one."
	return &with
}

// noRevisions refuses patterns that are a path on neither side and that a flag was meant for.
func (b both) noRevisions(repo *git.Repository, patterns []string) error {
	for _, pattern := range patterns {
		_, now := files.OrDisk(b.to.place.Files).Lstat(pattern)
		_, before := files.OrDisk(b.from.place.Files).Lstat(pattern)
		if now == nil || before == nil || fleet.IsPattern(pattern) {
			continue
		}
		from, to, isRange := strings.Cut(strings.Replace(pattern, "...", "..", 1), "..")
		if _, err := repo.Resolve(from); from == "" || err != nil {
			continue
		}
		meant := "--from " + from
		if isRange && to != "" {
			meant += " --to " + to
		}
		return diag.Usage(fmt.Errorf("%s is no path, and it is a revision; did you mean %s?", pattern, meant),
			"PATHs are applications: folders, files and patterns of folders.")
	}
	return nil
}

// compare renders the applications of both sides; those that cannot differ are rendered once.
func (r Renderer) compare(ctx context.Context, b both, patterns []string) (*diff.Comparison, error) {
	b.from.list, b.to.list = r.list(b.from.place, patterns), r.list(b.to.place, patterns)
	b.from.list.Reuse(b.to.list, func(a *app.Application, read []string) bool { return b.sameInputs(ctx, a, read) })
	now, before, all, err := b.names(ctx, patterns)
	if err != nil {
		return nil, err
	}
	if r.CompareHead && b.head != nil {
		b.changes = b.changesOf(now)
	}
	isNow, wasBefore := setOf(now), setOf(before)
	// What one side has may have another name on the other one, and is looked for there.
	all = r.Shard.SelectWith(all, func(name string) bool { return isNow[name] != wasBefore[name] })
	from, to := make([]*rendered, len(all)), make([]*rendered, len(all))
	errs := fleet.Each(ctx, len(all), func(ctx context.Context, i int) error {
		from[i], to[i] = b.render(ctx, all[i], wasBefore[all[i]], isNow[all[i]])
		return ctx.Err()
	}, r.Progress)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	b.lookAround(now, from, to)
	if err := b.undescribed(ctx, from, to); err != nil {
		return nil, err
	}
	if err := r.settleNeighbours(ctx, b, from, to); err != nil {
		return nil, err
	}
	from = slices.DeleteFunc(from, func(a *rendered) bool { return a.Name == "" })
	to = slices.DeleteFunc(to, func(a *rendered) bool { return a.Name == "" })
	number, of := r.Shard.Part()
	approved, err := b.approvals(from, to)
	if err != nil {
		return nil, err
	}
	approved.Part = of > 0
	out, err := r.withPositions(ctx, b, patterns, from, to, approved)
	if err != nil {
		return nil, err
	}
	out.Paths, out.LeftAt = NamedPaths(patterns), b.emptyRange(to)
	if of > 0 {
		out.Shard = &diff.Shard{Number: number, Of: of, Release: r.Release}
		out.MadeWith = slices.Concat(r.MadeWith, workingFolder(b.top, b.here))
	}
	return out, nil
}

// render renders an application on the sides that have it, and once where it cannot differ.
func (b both) render(ctx context.Context, name string, wasBefore, isNow bool) (old, now *rendered) {
	old, now = &rendered{}, &rendered{}
	path := b.to.list.Path(name)
	if isNow {
		*now = renderNamed(ctx, b.to.list, name)
	} else {
		path = b.from.list.Path(name)
	}
	switch {
	case !wasBefore:
	case now.Render != nil && b.isUnchanged(ctx, now):
		now.same = true
		*old = *now
	default:
		*old = renderNamed(ctx, b.from.list, name)
		now.SameFiles = old.Err != nil && now.Err != nil && b.sameDescription(name, path)
	}
	settleInstallation([2]*config.Roots{b.from.place.Roots, b.to.place.Roots}, old, now)
	now.Lock, now.KeepsStamps = b.lockOf(now, path), true
	return old, now
}

// emptyRange returns the default branch where nobody named the old side and nothing was there to compare: no commit,
// and no file that is read which differs.
func (b both) emptyRange(to []*rendered) string {
	if slices.ContainsFunc(to, func(one *rendered) bool { return !one.same }) {
		return ""
	}
	return b.leftAt
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// settleNeighbours notes what the applications of each side are to one another; a part of a run knows nothing of that.
func (r Renderer) settleNeighbours(ctx context.Context, b both, from, to []*rendered) error {
	if _, of := r.Shard.Part(); of > 0 {
		forgetNeighbours(from, to)
		return nil
	}
	refuseRenames(ctx, b.from.place, from)
	refuseRenames(ctx, b.to.place, to)
	return errors.Join(stampTogether(ctx, from), stampTogether(ctx, to))
}

// NamedPaths returns paths and patterns as reports name them.
func NamedPaths(patterns []string) (out []string) {
	for _, p := range patterns {
		out = append(out, path.Clean(filepath.ToSlash(p)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// forgetNeighbours has the applications of a part know nothing of each other: of those in other parts they know nothing
// either, and a report of all parts would depend on how they were divided.
func forgetNeighbours(sides ...[]*rendered) {
	for _, side := range sides {
		for i := range side {
			side[i].Member = nil
		}
	}
}

// names returns the applications of the new side, of the old one, and of both, sorted.
func (b both) names(ctx context.Context, patterns []string) (now, before, all []string, err error) {
	if now, err = b.to.list.Names(ctx); err != nil {
		return nil, nil, nil, b.to.explain(err)
	}
	if before, err = b.from.list.Names(ctx); err != nil {
		return nil, nil, nil, b.from.explain(err)
	}
	all = slices.Concat(now, before)
	slices.Sort(all)
	all = slices.Compact(all)
	unfit := slices.DeleteFunc(slices.Clone(b.to.list.Unfit()), func(p string) bool {
		return !slices.Contains(b.from.list.Unfit(), p)
	})
	if err := b.checkedOut(all); err != nil {
		return nil, nil, nil, err
	}
	if len(all) == 0 {
		unfit = patterns
	}
	if why := b.to.list.None(); len(all) == 0 && why != nil {
		return nil, nil, nil, why // the objects are there, and say what to name
	}
	if len(unfit) > 0 {
		err := fmt.Errorf("find applications: nothing fits %s on either side", strings.Join(unfit, ", "))
		return nil, nil, nil, diag.Input(diag.Position{}, err,
			"Name folders or files of applications; a pattern in quotes is looked up on both sides.")
	}
	return now, before, all, nil
}

// withPositions compares two sides, and has the objects whose position a report shows know it. For those of a
// kustomization that can cost another build, so only applications are traced that need it: for a person those of
// which positions are shown, for programs all that have changed.
func (r Renderer) withPositions(
	ctx context.Context, b both, patterns []string, from, to []*rendered, approved protect.Approvals,
) (*diff.Comparison, error) {
	unread, err := b.unreadFiles(patterns, from, to)
	if err != nil {
		return nil, err
	}
	with := &known{unread: unread, approved: approved}
	_, of := r.Shard.Part()
	if err := with.lookAround(ctx, b, of > 0); err != nil {
		return nil, err
	}
	compare := func() (*diff.Comparison, error) { return r.compareOnce(b, from, to, with) }
	if r.TraceAll {
		old := map[string]*pipeline.Rendered{}
		for _, one := range from {
			old[one.Name] = one.Render
		}
		if err := r.trace(ctx, to, func(one *rendered) bool {
			was := old[one.Name]
			return was != one.Render && (was == nil || !sameText(was, one.Render))
		}); err != nil {
			return nil, err
		}
	}
	out, err := compare()
	if err != nil {
		return nil, err
	}
	if shown := needPositions(out, to); !r.TraceAll && len(shown) > 0 {
		if err := r.trace(ctx, to, func(one *rendered) bool { return shown[one.Name] }); err != nil {
			return nil, err
		}
		if out, err = compare(); err != nil {
			return nil, err
		}
	}
	if out.HasGoneFromRender() {
		isAsBefore := map[string]bool{}
		for _, one := range to {
			isAsBefore[one.Name] = one.same
		}
		if err := r.trace(ctx, from, func(one *rendered) bool { return !isAsBefore[one.Name] }); err != nil {
			return nil, err
		}
		if out, err = compare(); err != nil {
			return nil, err
		}
	}
	out.Complete(render.NewLines(b.to.place.Files))
	out.CompleteGone(render.NewLines(b.from.place.Files))
	return out, nil
}

// compareOnce compares two sides as they are.
func (r Renderer) compareOnce(b both, from, to []*rendered, with *known) (*diff.Comparison, error) {
	old, now := b.from.side(from), b.to.side(to)
	now.Unread, now.PerhapsRead, now.Approvals = with.unread.none, with.unread.perhaps, with.approved
	if r.CompareHead && b.head != nil {
		now.Head, now.Changes = b.head.Commit, b.changes
	}
	_, of := r.Shard.Part()
	now.Part, now.Naming, now.NameOf = of > 0, b.to.list.Naming, with.nameOf
	if now.Part { // what others render of these is compared there
		old.Rendered, now.Rendered = with.before, with.after
	}
	return diff.Compare(old, now)
}

// sameText reports whether two renders have one text. Where one cannot be had any more, whoever needs it reports that.
func sameText(a, b *pipeline.Rendered) bool {
	one, errA := a.Result()
	other, errB := b.Result()
	return errA == nil && errB == nil && bytes.Equal(one.Output.Text, other.Output.Text)
}

// needPositions returns the applications of which a report for a person shows positions: those in which something
// restarts without effect, will not come up, is not known, or has a new finding at a line of the render.
func needPositions(c *diff.Comparison, now []*rendered) map[string]bool {
	type place struct { // the words of a finding hide values, in the comparison alone
		code diag.Code
		line int
	}
	out, lines := map[string]bool{}, map[place]bool{}
	for _, f := range c.Findings {
		if f.Position().OfRender() {
			lines[place{f.Code, f.Line}] = true
		}
	}
	for _, one := range now {
		isNew := func(f diag.Finding) bool { return f.Position().OfRender() && lines[place{f.Code, f.Line}] }
		if len(lines) > 0 && one.Render != nil && slices.ContainsFunc(one.Render.Findings(), isNew) {
			out[one.Name] = true
		}
	}
	unapproved := len(c.Unapproved()) > 0
	for _, one := range now {
		if unapproved && !one.same && !one.Protect.IsZero() {
			out[one.Name] = true
		}
	}
	for _, r := range c.Restarts {
		if r.Noise {
			out[r.App] = true
		}
	}
	for _, b := range c.Blocked {
		out[b.App] = true
	}
	for _, u := range c.Unknown {
		if u.Object != nil && u.Object.File == "" {
			out[u.Object.App] = true
		}
	}
	return out
}

// trace has the objects of those applications know their files that are kustomizations and wanted.
func (r Renderer) trace(ctx context.Context, all []*rendered, wanted func(*rendered) bool) error {
	var which []int
	for i, one := range all {
		if one.Render != nil && one.Render.Kind() == render.KindKustomize && wanted(one) {
			which = append(which, i)
		}
	}
	if r.Quiet != nil {
		defer r.Quiet()()
	}
	errs := fleet.Each(ctx, len(which), func(ctx context.Context, i int) error {
		one := all[which[i]]
		result, err := one.Render.Result()
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		request := one.from.Request()
		request.Kustomize.TraceOf = result.Output.Rendered()
		if again, err := pipeline.Run(ctx, one.from.WithRequest(request)); err == nil {
			one.Render = pipeline.NewRendered(again)
		}
		return ctx.Err()
	}, nil)
	return errors.Join(errs...)
}
