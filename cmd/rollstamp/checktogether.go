package main

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
)

// checkTogether looks again at applications whose sources have stamps of what others of the run render: with these, as
// all their files are stamped in one stream.
type checkTogether struct {
	source  app.Source
	names   []string
	members []*fleet.Member
	held    []fleet.Rendered // the applications with such stamps
}

// note returns what uses results and notes those that are to be looked at again.
func (c *checkTogether) note(use fleet.Use) fleet.Use {
	return func(ctx context.Context, i int, a *app.Application, result *pipeline.Result) error {
		if len(c.names) > 1 && fleet.HoldsStampsOfOthers(result) {
			c.held[i] = fleet.Rendered{App: a, Result: result}
		}
		return use(ctx, i, a, result)
	}
}

// again uses results again, as they are with what other applications render. Those are rendered once more, each once,
// because of a run nothing is kept but what it reports.
func (c *checkTogether) again(ctx context.Context, use fleet.Use, errs []error) {
	neighbours, others := fleet.NewNeighbours(c.members), map[int]fleet.Rendered{}
	find := func(i int) (out fleet.Rendered, err error) {
		if known, ok := others[i]; ok {
			return known, nil
		}
		if out.App, err = c.source.Application(ctx, c.names[i]); err == nil {
			out.Result, err = pipeline.Run(ctx, out.App)
		}
		if err == nil {
			others[i] = out
		}
		return out, err
	}
	for i, one := range c.held {
		if one.Result == nil || errs[i] != nil {
			continue
		}
		result, err := neighbours.StampTogether(ctx, i, one, find)
		if err == nil && result != nil {
			err = use(ctx, i, one.App, result)
		}
		errs[i] = err
	}
}
