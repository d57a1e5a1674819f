package plugin

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// Served answers the calls of a process that stays, each as a process for that call alone would.
type Served struct {
	preparer Preparer
	fresh    func() Wiring // one that has read nothing yet
	matches  Matches
	files    atomic.Pointer[[]string] // the operator's, as far as they are known

	mu      sync.Mutex
	state   string // in which current was made
	current Wiring // with what was read of the operator's files in this state
}

// Matches says which applications are ours without naming the plugin.
type Matches int

// The applications that match: those with a configuration file, or any.
const (
	MatchesConfigured Matches = iota
	MatchesAny
)

// NewServed returns what answers the calls that preparer prepares, with a fresh wiring whenever one of the operator's
// files has changed. What would fail every call, such as the policy file or the hash key, is an error now.
func NewServed(preparer Preparer, matches Matches, fresh func() Wiring) (*Served, error) {
	s := &Served{preparer: preparer, fresh: fresh, matches: matches}
	settings, err := preparer.Wiring.SettingsAt(preparer.Flags, config.Place{Dir: server.Root, Root: server.Root})
	if err != nil {
		return nil, err
	}
	if settings.ExecPlugins.Value {
		return nil, diag.Usage(fmt.Errorf("%s: allows exec-plugins, which need files on disk: serve has none",
			settings.ExecPlugins.Source),
			"Use 'rollstamp argocd generate' behind argocd-cmp-server for applications that need them.")
	}
	s.remember(settings)
	of, _, err := app.HashKey(settings)
	if err != nil {
		return nil, err
	}
	_, err = fresh().Renders(settings, of)
	return s, err
}

// remember keeps which files of the operator's have a part in the answers.
func (s *Served) remember(settings *config.Settings) {
	files := slices.Concat([]string{settings.Policy.Value}, settings.SealingKeys())
	if key, _, err := settings.HashKey(); err == nil && key != nil {
		files = append(files, key.File)
	}
	s.rememberFiles(files)
}

func (s *Served) rememberFiles(files []string) {
	if now := s.files.Load(); now == nil || !slices.Equal(*now, files) {
		s.files.Store(&files)
	}
}

// State changes where one of the operator's files does.
func (s *Served) State() []byte {
	var state []byte
	for _, file := range *s.files.Load() {
		if info, err := os.Stat(file); err == nil {
			state = fmt.Appendf(state, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return state
}

// wiring returns one that has read nothing of what the operator's files held before they changed.
func (s *Served) wiring() Wiring {
	state := string(s.State())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.state != state {
		s.current, s.state = s.fresh(), state
	}
	return s.current
}

// environment returns the variables of a call: the sidecar's own, which a call replaces.
func (s *Served) environment(call server.Call) argocd.Env {
	env := config.PluginEnvironment()
	maps.Copy(env, call.Env)
	return env
}

// servedJob is one call's render.
type servedJob struct {
	*Job
	key []byte
}

// Prepare reads the call's variables and the files that hold options.
func (s *Served) Prepare(_ context.Context, c server.Call) (server.Job, error) {
	env := s.environment(c)
	call, err := argocd.FromPlugin(env, c.Dir, server.Root, c.Tree)
	if err != nil {
		return nil, err
	}
	preparer := s.preparer
	preparer.Wiring = s.wiring()
	j, err := preparer.Job(call)
	if err != nil {
		return nil, call.Condition(err)
	}
	s.remember(j.App.Settings())
	renders, err := preparer.Wiring.Renders(j.App.Settings(), j.App.Stamping().Key)
	if err != nil {
		return nil, call.Condition(err)
	}
	if renders != nil {
		j.App = j.App.WithRenders(renders)
	}
	key, err := j.Key(env)
	return &servedJob{j, key}, err
}

// Key returns the key of the render: equal keys render the same on equal trees.
func (j *servedJob) Key() []byte { return j.key }

// Run renders, to the end where that is near.
func (j *servedJob) Run(ctx context.Context) (*server.Answer, error) {
	a, err := j.AnswerToTheEnd(ctx)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(a.Result.Text.Size())
	if _, err := a.Result.WriteTo(&text); err != nil {
		return nil, err
	}
	documents, err := server.Documents(text.Bytes())
	if err != nil {
		return nil, err
	}
	out := &server.Answer{Kind: string(a.Result.Output.Kind), Documents: documents, Findings: a.Findings,
		Reusable: j.Reusable(a.Result.Output), Stored: a.Result.Stored}
	for _, w := range a.Result.Plan.Workloads {
		if w.Stamped {
			out.Stamped++
		}
	}
	return out, nil
}

// Close has nothing to do.
func (j *servedJob) Close() {}

// Match reports whether the application is one of ours, as 'rollstamp argocd discover' does.
func (s *Served) Match(_ context.Context, c server.Call) (bool, error) {
	if s.matches == MatchesAny {
		_, err := argocd.Detect(c.Tree, c.Dir)
		return err == nil, err
	}
	return argocd.Discover(c.Tree, c.Dir, server.Root) != "", nil
}

// Announce lists the application's parameters.
func (s *Served) Announce(ctx context.Context, c server.Call) ([]announce.Parameter, []diag.Finding, error) {
	all, findings := Announce(ctx, s.wiring(), s.environment(c), c.Dir, server.Root, c.Tree)
	return all, findings, nil
}
