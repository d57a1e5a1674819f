package pipeline

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// earlierOf returns the manifests that were rendered of an application before, where contents of them are to be kept.
func earlierOf(ctx context.Context, a *app.Application, out *render.Output) (app.Earlier, error) {
	if stamp.Keeps(a.Settings(), out.Text) == 0 {
		return app.Earlier{}, nil
	}
	return a.Earlier(ctx)
}
