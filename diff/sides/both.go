package sides

import (
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
	"github.com/rollstamp/rollstamp/inventory"
)

// Worktree names the files as they are now.
const Worktree = "worktree"

// both is two sides in one repository.
type both struct {
	repo     *git.Repository
	top      string   // of the repository, as the paths of both begin
	here     string   // the working folder
	patterns []string // what is compared, written as the repository lies
	between  git.Sides
	inputs   *inputs.Comparer
	from, to side
	head     *git.Tree // what is checked out, where a side is the work tree
	changes  string    // of the tracked files that differ from head, where that was asked
	leftAt   string    // the default branch, where nobody named the old side and the new one has no commit beyond it
}

// side is where the files of one side are.
type side struct {
	label string
	place app.Place
	tree  *git.Tree         // nil for the work tree
	list  *inventory.Source // what is meant there
}

func bothSides(repo *git.Repository, from, to string, patterns []string) (b both, err error) {
	b.repo = repo
	if b.here, err = filepath.Abs("."); err != nil {
		return b, fmt.Errorf("find the working folder: %w", err)
	}
	if b.top, err = files.SeenFrom(b.here, repo.Top); err != nil {
		return b, err
	}
	if b.patterns, err = b.inRepository(patterns); err != nil {
		return b, err
	}
	if to == Worktree {
		if b.to, err = workTree(repo); err == nil {
			if head, err := repo.Tree("HEAD"); err == nil { // there is none before the first commit
				b.head = head.InWorkTree()
			}
		}
	} else {
		b.to, err = sideOf(repo, b.top, to)
	}
	if err != nil {
		return b, err
	}
	if from == "" {
		if from, b.leftAt, err = baseOf(repo, to); err != nil {
			return b, err
		}
	}
	if b.from, err = sideOf(repo, b.top, from); err == nil && to == Worktree {
		b.from = b.from.shownAs(b.from.tree.InWorkTree(), b.top)
	}
	b.between = git.Sides{Top: b.top, From: b.from.tree, To: b.to.tree, Head: b.head}.WithIndex()
	b.inputs = inputs.NewComparer(b.between)
	return b, err
}

// checkedOut refuses an application of which a sparse checkout has not all files: it is not removed, and what it
// renders now is not known.
func (b both) checkedOut(names []string) error {
	for _, name := range names {
		path := b.to.list.Path(name)
		if path == name {
			path = b.from.list.Path(name)
		}
		if b.between.LeavesOut(b.abs(path)) {
			return diag.Usage(fmt.Errorf("%s is not, or not all, checked out: the work tree is a sparse checkout", name),
				"Name the applications that are checked out, or compare commits: --to HEAD.")
		}
	}
	return nil
}

// inRepository returns paths as they lie in the repository. One that leads there through a symbolic link around it is
// written without: both sides are looked at by one name, and a revision knows no link around it. Others are refused: on
// both sides they would be what lies on the disk.
func (b both) inRepository(paths []string) ([]string, error) {
	out := slices.Clone(paths)
	for i, path := range paths {
		abs := b.abs(path)
		if files.Within(b.top, abs) {
			continue
		}
		rel, ok := files.Rel(b.repo.Top, behindLinks(abs))
		if !ok {
			return nil, diag.Usage(fmt.Errorf("%s is outside of the repository %s", path, b.top),
				"Compare the applications of each repository by themselves, and name them as seen from there.")
		}
		out[i] = filepath.Join(b.top, rel)
		if !filepath.IsAbs(path) {
			out[i] = displayPath(out[i])
		}
	}
	return out, nil
}

// behindLinks returns an absolute path without symbolic links, as far as it is there: what is gone from the disk may be
// in a revision, and a pattern is no path.
func behindLinks(path string) string {
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, strings.TrimPrefix(path, at))
		}
		if at == filepath.Dir(at) {
			return path
		}
	}
}

func workTree(repo *git.Repository) (side, error) {
	if repo.Bare {
		return side{}, diag.Usage(errors.New("a bare repository has no work tree"), "Name a revision with --to.")
	}
	return side{label: Worktree, place: app.Place{Roots: &config.Roots{}}}, nil
}

func sideOf(repo *git.Repository, top, rev string) (side, error) {
	tree, err := repo.Tree(rev)
	if err != nil {
		return side{}, err
	}
	return side{label: rev}.shownAs(tree, top), nil
}

// shownAs returns the side with the files of a tree.
func (s side) shownAs(tree *git.Tree, top string) side {
	system := files.Mount{At: top, Tree: tree}
	s.place, s.tree = app.Place{Files: system, Roots: &config.Roots{Files: system}}, tree
	return s
}

// baseOf returns the revision where a side left the default branch, and the name of that branch where it is the side's
// own last commit.
func baseOf(repo *git.Repository, to string) (base, leftAt string, err error) {
	main, err := repo.DefaultBranch()
	if err != nil {
		return "", "", err
	}
	if to == Worktree {
		to = "HEAD"
	}
	if base, err = repo.MergeBase(main, to); err != nil {
		return "", "", err
	}
	if last, err := repo.Resolve(to); err == nil && last == base {
		leftAt = main
	}
	return base, leftAt, nil
}

// side returns what is compared of a side.
func (s side) side(all []*rendered) diff.Side {
	out := diff.Side{Label: s.short(), Apps: make([]*diff.App, 0, len(all))}
	if s.tree != nil {
		out.Commit = s.tree.Commit
	}
	for _, one := range all {
		out.Apps = append(out.Apps, &one.App)
	}
	return out
}

// explain returns an error about what is meant on the side, with its name.
func (s side) explain(err error) error {
	return diag.MapErrors(err, func(err error) error { return fmt.Errorf("%s: %w", s.label, fromHere(err)) })
}

// short returns the side's label, a commit abbreviated.
func (s side) short() string {
	if s.tree == nil {
		return s.label
	}
	if commit := s.tree.Commit; strings.HasPrefix(commit, s.label) {
		return commit[:min(len(commit), 12)]
	}
	return s.label
}
