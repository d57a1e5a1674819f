package pipeline

import (
	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// earlierOf returns the manifests that were rendered of an application before, where contents of them are to be kept;
// else nil.
func earlierOf(a *app.Application, out *render.Output) ([]byte, error) {
	if stamp.Keeps(a.Settings(), out.Text) == 0 {
		return nil, nil
	}
	return a.Earlier()
}
