package sides

import (
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/fleet"
)

// stampTogether notes of the applications of a side what stamping the files of all of them in one stream comes to,
// where their sources have stamps of each other's objects.
func stampTogether(ctx context.Context, all []*rendered) error {
	members := make([]*fleet.Member, len(all))
	for i, one := range all {
		members[i] = one.Member
	}
	neighbours := fleet.NewNeighbours(members)
	find := func(i int) (fleet.Rendered, error) {
		result, err := all[i].Render.Result()
		return fleet.Rendered{App: all[i].from, Result: result}, err
	}
	for i := range all {
		one := all[i]
		if one.Member == nil || one.Unstamped || !one.Render.Summary().Needs {
			continue
		}
		result, err := one.Render.Result()
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		if !fleet.HoldsStampsOfOthers(result) {
			continue
		}
		// What cannot be stamped so is compared as it is by itself.
		of := fleet.Rendered{App: one.from, Result: result}
		if result, err := neighbours.StampTogether(ctx, i, of, find); err == nil {
			one.Together = result
		}
	}
	return ctx.Err()
}
