package rounds

import (
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Conversion is what rendering the sources of a file both ways comes to, as they were and as they are converted. Those
// of the Applications that an ApplicationSet generates count one by one.
type Conversion struct {
	Compared    int      // how many sources are converted
	Native      int      // how many are as they were, and native
	Differences []string // a line for each object that differs
}

// BothWays renders the sources of two texts of the file at path, without stamps, and compares them. Those that had a
// plugin are as they were. One that fails does not stop the others, and what was found until then is returned with the
// errors.
func (w *World) BothWays(
	ctx context.Context, path string, before, after []byte, render NewApplication,
) (c Conversion, err error) {
	var all [2][]*apps.Application
	for i, text := range [][]byte{before, after} {
		objects, err := appset.Parse(text, path)
		if err != nil {
			return c, err
		}
		var errs []error
		if all[i], errs = w.Applications(ctx, objects); errors.Join(errs...) != nil {
			return c, errors.Join(errs...)
		}
	}
	if len(all[0]) != len(all[1]) {
		err := fmt.Errorf("%d applications before and %d after", len(all[0]), len(all[1]))
		return c, diag.Input(diag.Position{File: path}, err, "")
	}
	var errs []error
	for i, native := range all[0] {
		one, err := w.applicationBothWays(ctx, native, all[1][i], render)
		c.Compared, c.Native = c.Compared+one.Compared, c.Native+one.Native
		c.Differences, errs = append(c.Differences, one.Differences...), append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (w *World) applicationBothWays(
	ctx context.Context, before, after *apps.Application, render NewApplication,
) (c Conversion, err error) {
	native, err := w.Parts(ctx, before)
	if err != nil {
		return c, err
	}
	converted, err := w.Parts(ctx, after)
	if err != nil {
		return c, err
	}
	for i, part := range native {
		switch {
		case part.Plugin:
			continue
		case !converted[i].Plugin:
			c.Native++
			continue
		}
		lines, err := partBothWays(ctx, part, converted[i], render)
		if err != nil {
			return c, fmt.Errorf("%s: %w", part.Name, err)
		}
		for _, line := range lines {
			c.Differences = append(c.Differences, part.Name+": "+line)
		}
		c.Compared++
	}
	return c, nil
}

// partBothWays renders one source both ways.
func partBothWays(ctx context.Context, native, converted apps.Part, render NewApplication) ([]string, error) {
	var results [2]*pipeline.Result
	for i, part := range []apps.Part{native, converted} {
		a, err := render(part)
		if err != nil {
			return nil, err
		}
		if results[i], err = pipeline.Run(ctx, a.WithoutStamping()); err != nil {
			return nil, part.Call.Condition(err)
		}
	}
	return convert.Differences(results[0].Output.Text, results[1].Output.Text, results[0].Output.SecondRender)
}
