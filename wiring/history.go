package wiring

import (
	"cmp"
	"context"
	"fmt"
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
	known map[string]*history // by the top of the repository; nil where it has none
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

// of returns the history of the repository that a path lies in, nil where there is none.
func (h *historySource) of(path string) *history {
	h.mu.Lock()
	defer h.mu.Unlock()
	for top := path; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			if known, ok := h.known[top]; ok {
				return known
			}
			if repo := repositoryAt(top); repo != nil {
				h.known[top] = h.open(repo, top)
				return h.known[top]
			}
		}
		if top == filepath.Dir(top) {
			return nil
		}
	}
}

// repositoryAt returns the repository whose top is a folder, nil where that is none's.
func repositoryAt(dir string) *git.Repository {
	repo, err := git.Open(dir)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || repo.Bare || real != repo.Top {
		return nil
	}
	return repo
}

// open returns the history of a repository, nil before the first commit.
func (h *historySource) open(repo *git.Repository, top string) *history {
	commits, isCut, err := repo.FirstParents("HEAD", mostCommits)
	if err != nil {
		return nil
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
	return out
}

// earlier returns what an application rendered to at earlier commits, the youngest first.
func (h *historySource) earlier(ctx context.Context, a *app.Application, name string) (out app.Earlier, err error) {
	path, err := filepath.Abs(a.Path())
	if err != nil || a.Stream() != nil {
		return out, nil
	}
	if repo := h.of(path); repo != nil {
		return repo.earlier(ctx, name)
	}
	if top, isLinked := linkedTo(path); isLinked {
		return withUnknown(out, name, fmt.Errorf("%s leads by a link into the repository %s", a.Path(), top)), nil
	}
	return out, nil
}

// linkedTo returns the top of the repository that a path leads into by links alone.
func linkedTo(path string) (top string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return "", false
	}
	repo, err := git.Open(real)
	if err != nil || repo.Bare {
		return "", false
	}
	defer func() { _ = repo.Close() }() // it was only read from
	_, _, err = repo.FirstParents("HEAD", 1)
	return repo.Top, err == nil
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
			return withUnknown(out, name, unknown), nil
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
	return withUnknown(out, name, unknown), nil
}

// withUnknown returns what is known, with why more is not; nil where all is.
func withUnknown(out app.Earlier, name string, why error) app.Earlier {
	if why != nil {
		f := diag.New(diag.EarlierUnknown, "", "what "+name+" was rendered to before is not all known: "+why.Error())
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
