package sides

import (
	"context"

	"github.com/rollstamp/rollstamp/fleet"
)

// stampTogether notes of the applications of a side what stamping the files of all of them in one stream comes to,
// where their sources have stamps of each other's objects.
func stampTogether(ctx context.Context, all []rendered) error {
	members := make([]*fleet.Member, len(all))
	for i, one := range all {
		members[i] = one.Member
	}
	neighbours := fleet.NewNeighbours(members)
	find := func(i int) (fleet.Rendered, error) {
		return fleet.Rendered{App: all[i].from, Result: all[i].Render.Result()}, nil
	}
	for i := range all {
		one := &all[i]
		if one.Member == nil || one.Unstamped || !one.Render.Summary().Needs ||
			!fleet.HoldsStampsOfOthers(one.Render.Result()) {
			continue
		}
		// What cannot be stamped so is compared as it is by itself.
		of := fleet.Rendered{App: one.from, Result: one.Render.Result()}
		if result, err := neighbours.StampTogether(ctx, i, of, find); err == nil {
			one.Together = result
		}
	}
	return ctx.Err()
}
