package pipeline

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

// withOwnTransforms changes a render as the program does that applies this application.
func withOwnTransforms(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	var err error
	for _, transform := range a.Transforms() {
		if out, err = transform(ctx, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
