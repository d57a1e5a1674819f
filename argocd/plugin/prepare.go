package plugin

import (
	"context"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/rendercache"
)

// Wiring connects calls with engines, decrypters and stores.
type Wiring interface {
	SettingsAt(flags config.Flags, place config.Place) (*config.Settings, error)
	Engines(s *config.Settings) render.Engines
	Stamping(flags config.Flags, s *config.Settings) (app.Stamping, []diag.Finding, error)
	Renders(s *config.Settings, key *hashing.Key) (*rendercache.View, error)
}

// Preparer makes the jobs of calls.
type Preparer struct {
	Wiring   Wiring
	Flags    config.Flags // of the operator
	Operator Operator
}

// Job returns the job of a call: its options under the settings that are in force there.
func (p Preparer) Job(call *argocd.Call) (*Job, error) {
	s, err := p.Settings(call)
	if err != nil {
		return nil, err
	}
	stamping, found, err := p.Wiring.Stamping(p.Flags, s)
	if err != nil {
		return nil, err
	}
	return Prepare(call, Environment{Engines: p.Wiring.Engines(s), Settings: s, Stamping: stamping, Findings: found},
		p.Operator)
}

// Settings returns the settings that are in force for a call.
func (p Preparer) Settings(call *argocd.Call) (*config.Settings, error) {
	s, err := p.Wiring.SettingsAt(p.Flags, config.Place{Dir: call.Dir, Root: call.Root, Files: call.Files})
	if err != nil {
		return nil, err
	}
	return call.Reconcile(s), nil
}

// CheckRefs reports whether the other repositories that a call names need no network, or it is allowed, or returns the
// error with which the call is refused: one is named at a revision that moves, without a line in the lock and without
// the permission to ask for it. Nothing is fetched.
func (p Preparer) CheckRefs(call *argocd.Call) (isAtHand bool, err error) {
	s, err := p.Settings(call)
	if err != nil {
		return false, err
	}
	locked, err := nearestLock(s, p.Operator)
	if err != nil {
		return false, err
	}
	call.TakeCommits(locked, nil)
	if err := call.CheckFixed(); err != nil && !s.MovingRefs.Value {
		return false, err
	}
	call.TakeMoving()
	return s.Network.Value || call.IsCached(s.CacheDir.Value), nil
}

// maxFormTime is what a look at a kustomization's images may take: a form has to appear at once.
const maxFormTime = 600 * time.Millisecond

// Announce returns the parameters of the application in dir, in the tree at root, which is looked for where it is "".
func Announce(
	ctx context.Context, w Wiring, env argocd.Env, dir, root string, system files.System,
) ([]announce.Parameter, []diag.Finding) {
	if root == "" {
		root = argocd.Root(dir, env["ARGOCD_APP_SOURCE_PATH"], system)
	}
	return announce.Parameters(announce.App{
		Name: env["ARGOCD_APP_NAME"], Dir: dir, Root: root, Files: system,
		Rendered: func() []byte { return renderPlainly(ctx, w, dir, root, system) },
	})
}

// renderPlainly renders a kustomization with nothing allowed and nothing changed; where that fails or takes long, there
// is nothing to show.
func renderPlainly(ctx context.Context, w Wiring, dir, root string, system files.System) []byte {
	result, err := pipeline.Run(ctx, app.New(app.Spec{
		Name: dir, Kind: render.KindKustomize, Timeout: maxFormTime, Engines: w.Engines(config.New()),
		Request: &render.Request{Path: dir, Files: system, Roots: &config.Roots{Files: system, Top: root}},
	}))
	if err != nil {
		return nil
	}
	return result.Output.Text
}
