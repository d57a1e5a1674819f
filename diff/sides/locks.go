package sides

import (
	"context"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/pipeline/locking"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Locks compares what applications render with their locks as they were and as they become. One that cannot be rendered
// so has an error, by its index, and does not stop the others. So has, in unknown, one of which only the other
// repositories that its lock had cannot be rendered any more: a lock that is written moves it on all the same.
func Locks(ctx context.Context, apps []locking.Locked) (c *diff.Comparison, errs, unknown []error, err error) {
	from, to := diff.Side{Label: lock.FileName}, diff.Side{Label: "stores"}
	errs, unknown = make([]error, len(apps)), make([]error, len(apps))
	for i, a := range apps {
		before, err := a.Before(ctx)
		if err != nil && (a.Was != nil || a.WasErr != nil) {
			unknown[i] = err
			continue
		}
		if err != nil {
			errs[i] = err
			continue
		}
		after, err := a.After(ctx)
		if err != nil {
			errs[i] = err
			continue
		}
		from.Apps = append(from.Apps, lockedApp(a, before))
		to.Apps = append(to.Apps, lockedApp(a, after))
	}
	c, err = diff.Compare(from, to)
	return c, errs, unknown, err
}

// lockedApp returns an application as a lock has it rendered.
func lockedApp(a locking.Locked, result *pipeline.Result) *diff.App {
	return &diff.App{Name: a.Name(), Render: pipeline.NewRendered(result), Member: fleet.MemberOf(a.Application, result),
		Destination: a.Destination(), Namespace: a.Request().Namespace, Kinds: a.Settings().Kinds.Value,
		Compat: a.Settings().Compat, Suspended: a.Origin().Suspended,
		Described: a.Origin().Pos, Fetched: fetched(a.Application)}
}
