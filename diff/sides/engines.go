package sides

import (
	"context"
	"errors"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/inventory"
)

// Engines compares what another version of an engine renders of the same files with what that of this renderer does.
// The labels name the two.
func (r Renderer) Engines(
	ctx context.Context, at app.Place, patterns []string, before Renderer, labels [2]string,
) (*diff.Comparison, error) {
	lists := [2]*inventory.Source{before.list(at, patterns), r.list(at, patterns)}
	for _, list := range lists {
		list.Absent = false // what is not there is there on neither side
	}
	names, err := lists[1].Names(ctx)
	if err != nil {
		return nil, err
	}
	names = r.Shard.Select(names)
	sides := [2]diff.Side{{Label: labels[0]}, {Label: labels[1], Naming: lists[1].Naming}}
	for i := range sides {
		sides[i].Apps = make([]diff.App, len(names))
	}
	errs := fleet.Each(ctx, len(names), func(ctx context.Context, i int) error {
		for side, list := range lists {
			sides[side].Apps[i] = renderNamed(ctx, list, names[i]).App
		}
		return ctx.Err()
	}, r.Progress)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return diff.Compare(sides[0], sides[1])
}
