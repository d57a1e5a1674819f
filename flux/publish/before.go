package publish

import (
	"context"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// Beside is the applications of a run as they are published into a place where what was published before is known. A
// HelmRelease that fails does so alone there, as long as it had no stamps.
type Beside struct {
	*Source

	earlier func(ctx context.Context, name string) (app.Earlier, error)

	mu        sync.Mutex
	unstamped []string
}

// Beside returns the applications of the run for a place where earlier reads the text that was published of an
// application.
func (s *Source) Beside(earlier func(ctx context.Context, name string) (app.Earlier, error)) *Beside {
	return &Beside{Source: s, earlier: earlier}
}

// Application returns the one of a name, as it is published.
func (b *Beside) Application(ctx context.Context, name string) (*app.Application, error) {
	return b.application(ctx, name, &before{of: b, name: name})
}

// Unstamped returns the HelmReleases that what was rendered holds without stamps, because they failed, sorted.
func (b *Beside) Unstamped() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.unstamped)
	return slices.Compact(b.unstamped)
}

// before is what was published of an application before.
type before struct {
	of   *Beside
	name string

	once sync.Once // of several HelmReleases it is read for the first that fails
	text []byte
	err  error
}

// read returns the text.
func (b *before) read(ctx context.Context) ([]byte, error) {
	b.once.Do(func() {
		var earlier app.Earlier
		earlier, b.err = b.of.earlier(ctx, b.name)
		b.text = earlier.Text
	})
	return b.text, b.err
}

// refuse returns the error of a HelmRelease that fails where it is in what a Kustomization renders: nil where it had no
// stamps there that it would lose.
func (b *before) refuse(ctx context.Context, o manifest.Object, m *member, failed error) error {
	if b == nil {
		return failed
	}
	text, err := b.read(ctx)
	if err != nil {
		return err
	}
	if had, err := hadStamps(text, o, m.prefix()); err != nil || had {
		return failed
	}
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.unstamped = append(b.of.unstamped, m.id)
	return nil
}

// hadStamps reports whether an object had patches of ours in a text.
func hadStamps(text []byte, object manifest.Object, prefix hashing.Prefix) (bool, error) {
	if !prefix.MayBeIn(text) {
		return false, nil
	}
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			return false, err
		}
		for o := range d.Objects() {
			isSame := o.Kind == object.Kind && o.Namespace == object.Namespace && o.Name == object.Name
			if isSame && patches.HasStamps(o, prefix) {
				return true, nil
			}
		}
	}
	return false, nil
}
