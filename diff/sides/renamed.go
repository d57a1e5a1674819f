package sides

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/render"
)

// refuseRenames fails the applications of a side whose objects get names with digests, although another one names them.
func refuseRenames(ctx context.Context, place app.Place, side []*rendered) {
	renames := func(one *rendered) bool {
		return one.Render != nil && one.Render.Summary().Renames
	}
	if !slices.ContainsFunc(side, renames) {
		return
	}
	n := len(side)
	members, apps := make([]*fleet.Member, n), make([]*app.Application, n)
	renders, errs := make([]*render.Output, n), make([]error, n)
	for i := range side {
		one := side[i]
		result, err := one.Render.Result()
		if errs[i] = err; result != nil {
			members[i], apps[i], renders[i] = one.Member, one.from, result.Output
		}
	}
	fleet.NewNeighbours(members).RefuseRenames(ctx, apps, renders, errs)
	for i, err := range errs {
		if err != nil {
			one := side[i]
			one.Render, one.Member, one.SameFiles = nil, nil, one.same
			one.At = fleet.FailureAt(place.Files, err)
			one.Err, one.At.File = fromHere(err), shown(one.At.File)
		}
	}
}
