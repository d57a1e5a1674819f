package pipeline

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// toTell is how long whoever asks stores may take to end when the time of a run is over.
const toTell = 4 * time.Second

// waiting reports what a run that is not finished in time waits for: if it is somebody else, no template is to blame.
type waiting struct{ asking, opening atomic.Bool }

// watch returns an application that says so.
func (w *waiting) watch(a *app.Application) *app.Application {
	if a.Stamping() == nil || a.Stamping().Resolver == nil && a.Stamping().Decrypter == nil {
		return a
	}
	how := *a.Stamping()
	if how.Resolver != nil {
		how.Resolver = asked{how.Resolver, &w.asking}
	}
	if how.Decrypter != nil {
		how.Decrypter = opened{how.Decrypter, &w.opening}
	}
	return a.WithStamping(how)
}

// during is true while something is done, and stays so where the time is over meanwhile.
func during(ctx context.Context, flag *atomic.Bool) (done func()) {
	flag.Store(true)
	return func() { flag.Store(ctx.Err() != nil) }
}

type asked struct {
	sources.VersionResolver
	flag *atomic.Bool
}

// Resolve is sources.VersionResolver's.
func (a asked) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, error) {
	defer during(ctx, a.flag)()
	return a.VersionResolver.Resolve(ctx, refs)
}

type opened struct {
	sources.Decrypter
	flag *atomic.Bool
}

// Decrypt is sources.Decrypter's.
func (o opened) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	defer during(ctx, o.flag)()
	return o.Decrypter.Decrypt(ctx, namespace, doc)
}
