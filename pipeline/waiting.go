package pipeline

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// graceToReport is how long the client of a store may take to report for whom it waited, when the time of a run is
// over.
const graceToReport = 4 * time.Second

// waiting records what a run that is not finished in time waits for: a store or a key service, rather than a template.
type waiting struct{ asking, decrypting atomic.Bool }

// watch returns an application whose resolver and decrypter record that they are waited for.
func (w *waiting) watch(a *app.Application) *app.Application {
	if a.Stamping() == nil || a.Stamping().Resolver == nil && a.Stamping().Decrypter == nil {
		return a
	}
	how := *a.Stamping()
	if how.Resolver != nil {
		how.Resolver = watchedResolver{how.Resolver, &w.asking}
	}
	if how.Decrypter != nil {
		how.Decrypter = watchedDecrypter{how.Decrypter, &w.decrypting}
	}
	return a.WithStamping(how)
}

// during sets a flag while something is done. It stays set where the time is over meanwhile.
func during(ctx context.Context, flag *atomic.Bool) (done func()) {
	flag.Store(true)
	return func() { flag.Store(ctx.Err() != nil) }
}

type watchedResolver struct {
	sources.VersionResolver
	flag *atomic.Bool
}

// Resolve is sources.VersionResolver's.
func (a watchedResolver) Resolve(
	ctx context.Context, refs []sources.Ref,
) ([]sources.Answer, []diag.Finding, error) {
	defer during(ctx, a.flag)()
	return a.VersionResolver.Resolve(ctx, refs)
}

type watchedDecrypter struct {
	sources.Decrypter
	flag *atomic.Bool
}

// Decrypt is sources.Decrypter's.
func (o watchedDecrypter) Decrypt(
	ctx context.Context, namespace string, doc []byte,
) (map[string]redact.Secret, error) {
	defer during(ctx, o.flag)()
	return o.Decrypter.Decrypt(ctx, namespace, doc)
}
