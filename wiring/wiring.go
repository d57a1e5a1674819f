// Package wiring connects applications with the engines, decrypters and stores of this build. Whoever starts a run
// makes one Wiring for it.
package wiring

import (
	"context"
	"io"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// Wiring is what the applications of a run share. It may be used by many of them at once.
type Wiring struct {
	env        config.Env
	release    string
	stdin      io.Reader
	run        context.Context //nolint:containedctx // what is started for one application serves the next
	children   *remote.Children
	helm4      *helm4
	helm       config.HelmVersion // that renders, whatever settings and applications say; 0 is theirs
	decrypters *decrypters
	encrypted  bool          // nothing is decrypted, whatever settings say
	roots      *config.Roots // of the repositories on disk
	locks      *lock.Cache
	renders    *renders  // the caches of renders that are open
	contexts   *contexts // what was rendered to look objects up in; nil where nothing of that is retained
	stays      bool      // the process does
	registries func() string
}

// New returns the wiring of a run that ends with ctx. The release is that of this program; stdin is what an
// input named - reads.
func New(ctx context.Context, env config.Env, release string, stdin io.Reader) *Wiring {
	w := &Wiring{env: env, release: release, stdin: stdin, run: ctx, children: &remote.Children{}, renders: &renders{}}
	w.registries = sync.OnceValue(func() string { return config.HelmRegistryConfig(env) })
	path, _ := env(config.EnvHelm4)
	w.helm4 = &helm4{path: path, release: release}
	return w.Fresh()
}

// WithStdin returns a wiring with another standard input.
func (w *Wiring) WithStdin(in io.Reader) *Wiring {
	out := *w
	out.stdin = in
	return &out
}

// WithHelm returns a wiring whose charts are rendered by this version of Helm, whatever settings and applications
// say. The error is that it is not installed.
func (w *Wiring) WithHelm(version config.HelmVersion) (*Wiring, error) {
	if version == config.Helm4 {
		if _, err := w.helm4.start(); err != nil {
			return nil, notInstalled(err)
		}
	}
	out := *w.Fresh()
	out.helm = version
	return &out, nil
}

// WithoutDecrypting returns a wiring that decrypts nothing, whatever settings say.
func (w *Wiring) WithoutDecrypting() *Wiring {
	out := *w.Fresh()
	out.encrypted = true
	return &out
}

// Fresh returns a wiring of the same run that has read nothing yet.
func (w *Wiring) Fresh() *Wiring {
	out := *w
	out.decrypters, out.roots, out.locks, out.contexts = &decrypters{}, &config.Roots{}, &lock.Cache{}, &contexts{}
	return &out
}

// Resident returns a wiring for a process that stays and renders trees that come and go: of these it retains nothing.
func (w *Wiring) Resident() *Wiring {
	out := *w
	out.locks, out.contexts, out.stays = nil, nil, true
	return &out
}

// Wait returns when all programs that were started have ended. They do after the run's context.
func (w *Wiring) Wait() {
	w.children.Wait()
	w.helm4.close()
}

// storesProgram returns the path of the program that asks stores and decrypts; "" is the one beside this program.
func (w *Wiring) storesProgram() string {
	path, _ := w.env(config.EnvStores)
	return path
}
