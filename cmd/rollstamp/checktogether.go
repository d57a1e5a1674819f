package main

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
)

// again looks again at applications whose sources have stamps of what others of the run render: with these, as all
// their files are stamped in one stream. Those are rendered once more, each once, because of a run nothing is kept but
// what it reports.
func (r *checkRun) again(ctx context.Context, source app.Source, errs []error) {
	neighbours, others := fleet.NewNeighbours(r.members), map[int]fleet.Rendered{}
	find := func(i int) (out fleet.Rendered, err error) {
		if known, ok := others[i]; ok {
			return known, nil
		}
		if out.App, err = source.Application(ctx, r.names[i]); err == nil {
			out.Result, err = pipeline.Run(ctx, out.App)
		}
		if err == nil {
			others[i] = out
		}
		return out, err
	}
	for i, one := range r.together {
		if one.Result == nil || errs[i] != nil {
			continue
		}
		result, err := neighbours.StampTogether(ctx, i, one, find)
		if err == nil && result != nil {
			err = r.use(ctx, i, one.App, pipeline.NewRendered(result))
		}
		errs[i] = err
	}
}
