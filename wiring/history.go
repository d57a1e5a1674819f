package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff/inputs"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/pipeline"
)

// How far back earlier contents are looked for, in commits on the way of first parents, and in states of an application
// that are rendered for it.
const (
	mostCommits = 200
	mostStates  = 10
)

// WithHistory returns a source whose applications know what they rendered to at earlier commits of the repository that
// their path lies in, whatever the working folder is. At returns the same source for the files of another place.
func WithHistory(source app.Source, at func(app.Place) app.Source) app.Source {
	return &historySource{Source: source, at: at, known: map[string]*history{}}
}

type historySource struct {
	app.Source
	at func(app.Place) app.Source

	mu    sync.Mutex
	known map[string]*history // by the top of the repository; nil before the first commit
}

// history holds the commits of a repository.
type history struct {
	top       string   // of the repository, as paths begin
	commits   []string // the youngest first
	isCut     bool     // a shallow clone lacks the next one
	revisions []func() (revision, error)
}

// revision is a commit with the applications that it has.
type revision struct {
	tree   *git.Tree
	source app.Source
}

// Application returns the one of a name.
func (h *historySource) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := h.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	before := a.Earlier
	return a.WithEarlier(func(ctx context.Context) (app.Earlier, error) {
		if known, err := before(ctx); err != nil || len(known.Text) > 0 {
			return known, err
		}
		return h.earlier(ctx, a, name)
	}), nil
}

// of returns the history of the repository that a path lies in, nil where there is none. An error says why it cannot be
// read.
func (h *historySource) of(path string) (*history, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for top := path; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			if known, ok := h.known[top]; ok {
				return known, nil
			}
			repo, err := repositoryAt(top)
			if err != nil {
				return nil, err
			}
			if repo != nil {
				known, err := h.open(repo, top)
				if err == nil {
					h.known[top] = known
				}
				return known, err
			}
		}
		if top == filepath.Dir(top) {
			return nil, nil
		}
	}
}

// repositoryAt returns the repository whose top is a folder, nil where that is none's. As to git, a folder .git without
// a HEAD is no repository.
func repositoryAt(dir string) (*git.Repository, error) {
	entries, err := os.ReadDir(filepath.Join(dir, ".git"))
	isHead := func(e os.DirEntry) bool { return e.Name() == "HEAD" }
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	case err == nil && !slices.ContainsFunc(entries, isHead):
		return nil, nil
	}
	repo, err := git.Open(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || repo.Bare || real != repo.Top {
		return nil, nil
	}
	return repo, nil
}

// open returns the history of a repository, nil before the first commit.
func (h *historySource) open(repo *git.Repository, top string) (*history, error) {
	commits, isCut, err := repo.FirstParents("HEAD", mostCommits)
	switch {
	case errors.Is(err, git.ErrNoRevision):
		return nil, unbornHead(repo)
	case err != nil:
		return nil, err
	}
	out := &history{top: top, commits: commits, isCut: isCut}
	for _, commit := range commits {
		out.revisions = append(out.revisions, sync.OnceValues(func() (revision, error) {
			tree, err := repo.Tree(commit)
			if err != nil {
				return revision{}, err
			}
			system := files.Mount{At: top, Tree: tree.InWorkTree()}
			return revision{tree, h.at(app.Place{Files: system, Roots: &config.Roots{Files: system}})}, nil
		}))
	}
	return out, nil
}

// unbornHead returns why the history of a HEAD that leads to no commit is not known; nil where the repository has none.
func unbornHead(repo *git.Repository) error {
	some, err := repo.HasRefs()
	if err != nil || !some {
		return err
	}
	return diag.Input(diag.Position{}, errors.New("HEAD leads to no commit, and other branches or tags do"),
		"Check out the branch that is applied, commit what is rendered with --output-dir, or set suffix: {keep: 0}.")
}

// earlier returns what an application rendered to at earlier commits, the youngest first.
func (h *historySource) earlier(ctx context.Context, a *app.Application, name string) (out app.Earlier, err error) {
	path, err := filepath.Abs(a.Path())
	if err != nil || a.Stream() != nil {
		return out, nil
	}
	repo, err := h.of(path)
	if err != nil {
		hint := diag.HintOf(err)
		if errors.Is(err, git.ErrUnsupported) { // there is no revision that could be named instead
			hint = "Commit what is rendered with --output-dir, or set suffix: {keep: 0}."
		}
		return withUnknown(out, name, err, hint), nil
	}
	if repo != nil {
		if out, err = repo.earlier(ctx, name); err != nil || len(out.Text) > 0 || len(out.Findings) > 0 {
			return out, err
		}
	}
	return withUnknown(out, name, behindLink(path, a.Path()), "Name the path that the link leads to."), nil
}

// behindLink returns why nothing is known of a path, which is written as it is shown, where links alone lead to what
// a commit has; else nil.
func behindLink(path, shown string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return nil
	}
	repo, err := git.Open(real)
	if err != nil || repo.Bare {
		return nil
	}
	defer func() { _ = repo.Close() }() // it was only read from
	head, err := repo.Tree("HEAD")
	if err != nil {
		return nil
	}
	name, _ := files.Rel(repo.Top, real)
	if _, err := head.Stat(filepath.ToSlash(name)); err != nil {
		return nil
	}
	if top, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && files.Within(top, repo.Top) {
		return fmt.Errorf("%s leads by a link, which is not committed, to %s", shown, filepath.ToSlash(name))
	}
	return fmt.Errorf("%s leads by a link into the repository %s", shown, repo.Top)
}

// earlier returns what an application rendered to at earlier commits, the youngest first.
func (h *history) earlier(ctx context.Context, name string) (out app.Earlier, err error) {
	var last *state
	var unknown error
	states := 0
	for i, commit := range h.commits {
		next, err := h.state(ctx, i, name, last)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err == nil && next == last {
			continue
		}
		if states++; err == nil && next == nil || states > mostStates { // it was not there yet, or enough is known
			return withUnknown(out, name, unknown, ""), nil
		}
		if err != nil {
			unknown = cmp.Or(unknown, fmt.Errorf("commit %.12s cannot be rendered: %w", commit, err))
			continue
		}
		last = next
		out.Text = append(append(out.Text, "\n---\n"...), next.result.Text.Bytes()...)
	}
	if h.isCut && unknown == nil {
		unknown = fmt.Errorf("this shallow clone ends at commit %.12s", h.commits[len(h.commits)-1])
	}
	return withUnknown(out, name, unknown, ""), nil
}

// withUnknown returns what is known, with why more is not, nil where all is, and the next step where it is a special
// one.
func withUnknown(out app.Earlier, name string, why error, hint string) app.Earlier {
	if why != nil {
		f := diag.New(diag.EarlierUnknown, "", "what "+name+" was rendered to before is not all known: "+why.Error())
		f.Hint = cmp.Or(hint, f.Hint)
		out.Findings = append(out.Findings, f.AsNotice())
	}
	return out
}

// state is what an application rendered to at a commit.
type state struct {
	tree   *git.Tree
	result *pipeline.Result
	inputs inputs.App
}

// state returns the state of an application at the commit of an index: the one after it where that is rendered from the
// same, nil where it was not there.
func (h *history) state(ctx context.Context, i int, name string, after *state) (*state, error) {
	at, err := h.revisions[i]()
	if err != nil {
		return nil, err
	}
	if after != nil && inputs.NewComparer(git.Sides{Top: h.top, From: at.tree, To: after.tree}).Same(after.inputs) {
		return after, nil
	}
	names, err := at.source.Names(ctx)
	if err != nil || !slices.Contains(names, name) {
		return nil, err
	}
	a, err := at.source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(a.Path())
	if err != nil {
		return nil, err
	}
	read := pipeline.NewRendered(result).Summary()
	return &state{at.tree, result, inputs.App{Path: path, Read: read.Inputs,
		Context: config.Strings(a.Settings().Context.Value), Probed: slices.Concat(a.Request().Probed, read.Probed)}}, nil
}
