package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/argocd/serve"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// servedPlugin is what stands behind the socket: for each call what 'rollstamp argocd generate' does for one.
type servedPlugin struct {
	p        *program
	flags    *pluginFlags
	discover string
	files    atomic.Pointer[[]string] // the operator's, as far as they are known

	mu      sync.Mutex
	state   string   // of current
	current *program // with what was read of the operator's files in this state
}

// check finds out at the start what would fail every call: the policy file, the hash key.
func (s *servedPlugin) check() error {
	settings, err := config.Resolve(config.Inputs{Place: config.Place{Dir: serve.Root, Root: serve.Root}, Flags: s.flags.flags(), Env: s.p.env})
	if err != nil {
		return err
	}
	if settings.ExecPlugins.Value {
		return diag.Usage(fmt.Errorf("%s: allows exec-plugins, which need files on disk: serve has none", settings.ExecPlugins.Source),
			"Use 'rollstamp argocd generate' behind argocd-cmp-server for applications that need them.")
	}
	s.remember(settings)
	_, _, err = stampOptions(settings)
	return err
}

// remember keeps which files of the operator's have a part in the answers.
func (s *servedPlugin) remember(settings *config.Settings) {
	files := slices.Concat([]string{settings.Policy.Value}, settings.SealingKeys())
	if key, _, err := settings.HashKey(); err == nil && key != nil {
		files = append(files, key.File)
	}
	if now := s.files.Load(); now == nil || !slices.Equal(*now, files) {
		s.files.Store(&files)
	}
}

// State changes where one of the operator's files does.
func (s *servedPlugin) State() []byte {
	var state []byte
	for _, file := range *s.files.Load() {
		if info, err := os.Stat(file); err == nil {
			state = fmt.Appendf(state, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return state
}

// program gives one that has read nothing of what the operator's files held before they changed.
func (s *servedPlugin) program() *program {
	state := string(s.State())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.state != state {
		s.current = &program{streams: s.p.streams, env: s.p.env, openers: openers{run: s.p.openers.run}, children: s.p.children}
		s.state = state
	}
	return s.current
}

// environment gives the variables of a call: the sidecar's own, which a call replaces.
func (s *servedPlugin) environment(call serve.Call) argocd.Env {
	env := config.PluginEnvironment()
	maps.Copy(env, call.Env)
	return env
}

// servedJob is one call's render.
type servedJob struct {
	*pluginJob
	key []byte
}

// endless stands for the time of a render that ends by itself or never.
const endless = 365 * 24 * time.Hour

// Prepare reads the call's variables and the files that hold options.
func (s *servedPlugin) Prepare(_ context.Context, c serve.Call) (serve.Job, error) {
	env := s.environment(c)
	call, err := argocd.FromPlugin(env, c.Dir, serve.Root, c.Tree)
	if err != nil {
		return nil, err
	}
	flags := *s.flags
	j, err := s.program().pluginJob(call, &flags)
	if err != nil {
		return nil, err
	}
	s.remember(j.settings)
	if !j.waits() {
		flags.timeout, j.app.Timeout = endless, 0
	}
	key, err := keyOf(j, env)
	return &servedJob{j, key}, err
}

// waits tells whether the render may wait for anything but the processor.
func (j *pluginJob) waits() bool {
	may := j.settings.Permissions()
	return may.Network || may.Stores || may.ExecPlugins || j.app.Stamp.Opener != nil
}

// keyOf tells renders apart that may give other bytes on the same tree. What the files of the tree and the operator's say is not in it,
// and of the variables not the revision: that is another with each commit, and where an option names it, the request shows it.
func keyOf(j *pluginJob, env argocd.Env) ([]byte, error) {
	env = maps.Clone(env)
	for name := range env {
		if strings.HasPrefix(name, "ARGOCD_APP_REVISION") {
			delete(env, name)
		}
	}
	req := j.app.Request
	req.Files, req.Roots = nil, nil
	var key bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&key, "%q=%q\n", name, env[name])
	}
	err := json.NewEncoder(&key).Encode(struct {
		As                render.Kind
		Request           render.Request
		Namespace, Domain config.NonEmpty
		AllowEmpty        bool
		Findings          []diag.Finding
	}{j.app.As, req, j.settings.Namespace.Value, j.settings.HashDomain.Value, j.call.AllowEmpty, j.findings})
	if err != nil {
		return nil, fmt.Errorf("tell renders apart: %w", err)
	}
	return key.Bytes(), nil
}

// Key gives what keyOf made.
func (j *servedJob) Key() []byte { return j.key }

// Run renders. Where nothing but the processor is waited for, Run comes back only when all of the render has ended, so that the server
// knows of one that never does.
func (j *servedJob) Run(ctx context.Context) (*serve.Answer, error) {
	if !j.waits() {
		ctx = context.WithoutCancel(ctx)
	}
	o, err := j.run(ctx)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(o.result.Plan.Size())
	if _, err := o.result.WriteTo(&text); err != nil {
		return nil, err
	}
	documents, err := serve.Documents(text.Bytes())
	if err != nil {
		return nil, err
	}
	a := &serve.Answer{Kind: string(o.result.Output.Kind), Documents: documents, Findings: o.findings, Reusable: j.reusable(o.result.Output)}
	for _, w := range o.result.Plan.Workloads {
		if w.Stamped {
			a.Stamped++
		}
	}
	return a, nil
}

// reusable tells whether the same files and options give the same bytes again: nothing is random, and nothing came from elsewhere.
func (j *servedJob) reusable(out *render.Output) bool {
	random := out.Twin != nil && !bytes.Equal(out.Twin, out.Text)
	return !random && !j.elsewhere(out)
}

// elsewhere tells whether something in the render may have come from elsewhere than the tree. What is fetched does not show in the inputs,
// so it is asked whether there was anything to fetch.
func (j *servedJob) elsewhere(out *render.Output) bool {
	may := j.settings.Permissions()
	outside := func(file string) bool { return !strings.HasPrefix(file, serve.Root+"/") }
	switch {
	case may.ExecPlugins, slices.ContainsFunc(out.Inputs, outside), j.app.Stamp.Outside != nil && j.settings.Secrets.Value == config.PolicyLive:
		return true
	case !may.Network, out.Kind == render.KindPlain:
		return false
	case out.Kind == render.KindHelm:
		remote := func(file string) bool { return strings.Contains(file, "://") }
		return slices.ContainsFunc(j.app.Request.Helm.ValuesFiles, remote) || slices.ContainsFunc(out.Inputs, j.depends)
	}
	return true
}

// depends tells whether a file makes a chart need others.
func (j *servedJob) depends(file string) bool {
	switch name := filepath.Base(file); {
	case strings.HasSuffix(name, ".tgz"), name == "requirements.yaml":
		return true
	case name == "Chart.yaml":
		text, err := j.app.Request.Files.ReadFile(file)
		return err != nil || bytes.Contains(text, []byte("dependencies"))
	}
	return false
}

// Match tells whether the application is one of ours, as 'rollstamp argocd discover' does.
func (s *servedPlugin) Match(_ context.Context, c serve.Call) (bool, error) {
	if s.discover == discoverAny {
		_, err := argocd.Detect(c.Tree, c.Dir)
		return err == nil, err
	}
	return argocd.Discover(c.Tree, c.Dir, serve.Root) != "", nil
}

// Announce lists the application's parameters.
func (s *servedPlugin) Announce(ctx context.Context, c serve.Call) ([]announce.Parameter, []diag.Finding, error) {
	all, findings := s.program().announce(ctx, s.environment(c), c.Dir, serve.Root, c.Tree)
	return all, findings, nil
}
