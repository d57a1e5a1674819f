package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Conversion is what rendering the sources of a file both ways comes to, as they were and as they are converted. Those
// of the Applications that an ApplicationSet generates count one by one.
type Conversion struct {
	Compared    int      // how many sources are converted, with the same render both ways
	Differ      int      // how many are converted and render otherwise
	Failed      int      // how many could not be compared
	Native      int      // how many are as they were, and native
	Already     int      // how many had the plugin already
	Proven      int      // how many are charts that Ways.Chart renders to the same bytes
	Random      []string // a line for each object that differs from one render to the next, and was not compared
	Differences []string // a line for each object that differs
}

// Ways are the ways in which sources are rendered.
type Ways struct {
	Native, Converted NewApplication
	// Chart has the program of a repo-server render a chart; nil where there is none. Program is its name.
	Chart   func(context.Context, render.Request) ([]byte, error)
	Program string
}

// Add returns two conversions as one.
func (c Conversion) Add(o Conversion) Conversion {
	return Conversion{Compared: c.Compared + o.Compared, Differ: c.Differ + o.Differ, Failed: c.Failed + o.Failed,
		Native: c.Native + o.Native, Already: c.Already + o.Already,
		Proven: c.Proven + o.Proven, Differences: append(c.Differences, o.Differences...),
		Random: append(c.Random, o.Random...)}
}

// Sources returns how many sources there are.
func (c Conversion) Sources() int { return c.Compared + c.Differ + c.Failed + c.Native + c.Already }

// BothWays renders the sources of two texts of the file at path, without stamps, and compares them. Those that had a
// plugin are as they were. One that fails does not stop the others, and what was found until then is returned with the
// errors.
func (w *World) BothWays(
	ctx context.Context, path string, before, after []byte, ways Ways,
) (c Conversion, err error) {
	var all [2][]*apps.Application
	var failed [2][]error
	for i, text := range [][]byte{before, after} {
		objects, err := appset.Parse(text, path)
		if err != nil {
			return c, err
		}
		all[i], failed[i] = w.Applications(ctx, objects)
		failed[i] = diag.Unjoin(errors.Join(failed[i]...))
	}
	errs := failed[1]
	if len(failed[0]) > len(failed[1]) { // what was refused as it was may be none that is refused as it is converted
		errs = failed[0]
		all[1] = slices.DeleteFunc(all[1], func(a *apps.Application) bool {
			return !slices.ContainsFunc(all[0], func(b *apps.Application) bool { return w.nameOf(a) == w.nameOf(b) })
		})
	}
	if len(all[0]) != len(all[1]) {
		err := fmt.Errorf("%d applications before and %d after", len(all[0]), len(all[1]))
		return c, errors.Join(append(errs, diag.Input(diag.Position{File: path}, err, ""))...)
	}
	c.Failed = len(errs)
	for i, native := range all[0] {
		one, err := w.applicationBothWays(ctx, native, all[1][i], ways)
		c, errs = c.Add(one), append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (w *World) applicationBothWays(
	ctx context.Context, before, after *apps.Application, ways Ways,
) (c Conversion, err error) {
	instance := w.instance
	instance.Foreign = true
	native, err := before.EachPart(ctx, &instance)
	if err != nil {
		return w.failed(before), err
	}
	converted, err := after.EachPart(ctx, &instance)
	if err != nil {
		return w.failed(before), err
	}
	var errs []error
	for i, part := range native {
		errs = append(errs, c.part(ctx, before, [2]apps.Part{part, converted[i]}, ways))
	}
	return c, errors.Join(errs...)
}

// part adds what one source of an Application comes to, before and after. The error is why it cannot be compared.
func (c *Conversion) part(ctx context.Context, of *apps.Application, both [2]apps.Part, ways Ways) error {
	native, converted := both[0], both[1]
	err := native.Err
	if err == nil {
		err = converted.Err
	}
	var other *argocd.OtherKind
	switch {
	case native.Foreign || !converted.Plugin:
		c.Native++
		return nil
	case native.Err == nil && !native.Plugin && errors.As(err, &other):
		c.Differ++
		c.Differences = append(c.Differences, fmt.Sprintf("%s: the plugin refuses it: %v; leave it native: Argo CD goes by "+
			"the options of a source, and the plugin by its folder's files", native.Name, other))
		return nil
	case err != nil:
		c.Failed++
		return err
	case native.Plugin:
		c.Already++
		return nil
	}
	made, proven, err := ways.compare(ctx, native, converted)
	switch {
	case err != nil:
		c.Failed++
		return named(of, native, err)
	case len(made.Differences) > 0:
		c.Differ++
	default:
		c.Compared++
	}
	if proven {
		c.Proven++
	}
	for _, line := range made.Differences {
		c.Differences = append(c.Differences, native.Name+": "+line)
	}
	for _, object := range made.Random {
		c.Random = append(c.Random, native.Name+": "+object+" is random: it differs from one render to the next, and "+
			"was not compared")
	}
	return nil
}

// failed returns the conversion of an Application that could not be compared.
func (w *World) failed(a *apps.Application) Conversion {
	all, ours := a.CountSources(&w.instance)
	return Conversion{Failed: max(all-ours, 1), Already: ours}
}

// Unconverted returns the conversion of a text of the file at path in which nothing is converted. An ApplicationSet
// whose Applications are not known, or that has none, counts as one source.
func (w *World) Unconverted(ctx context.Context, path string, text []byte) (c Conversion, err error) {
	objects, err := appset.Parse(text, path)
	if err != nil {
		return c, err
	}
	made, errs := w.Applications(ctx, &appset.Objects{Applications: objects.Applications, Failed: objects.Failed})
	for _, set := range objects.Sets {
		of, err := w.OfSet(ctx, set)
		if len(of) == 0 && err == nil {
			c.Native++
		}
		made, errs = append(made, of...), append(errs, err)
	}
	c.Native += len(diag.Unjoin(errors.Join(errs...)))
	for _, a := range made {
		all, ours := a.CountSources(&w.instance)
		c.Native, c.Already = c.Native+all-ours, c.Already+ours
	}
	return c, nil
}

// compare renders one source both ways, and as the program does where it is a chart. It reports whether that has shown
// it.
func (w Ways) compare(ctx context.Context, native, converted apps.Part) (
	made convert.Comparison, proven bool, err error,
) {
	asIs, was, err := renderPlainly(ctx, native, w.Native)
	if err != nil {
		return made, false, err
	}
	asPlugin, is, err := renderPlainly(ctx, converted, w.Converted)
	if err == nil {
		err = refusal(ctx, converted, asPlugin, is)
	}
	if err != nil {
		return made, false, err
	}
	made, err = convert.Compare(was.Text, is.Text, was.SecondRender)
	if err != nil || w.Chart == nil || native.Call.Kind != render.KindHelm {
		return made, false, err
	}
	text, err := w.byProgram(ctx, asIs)
	if err != nil {
		return made, false, err
	}
	by, err := convert.Compare(is.Text, text, is.SecondRender)
	for _, line := range by.Differences {
		made.Differences = append(made.Differences, w.Program+" renders otherwise: "+line)
	}
	return made, len(by.Differences)+len(by.Random) == 0, err
}

// byProgram has the program render a chart, in the time that an application may take.
func (w Ways) byProgram(ctx context.Context, a *app.Application) ([]byte, error) {
	if most := a.Timeout(); most > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("not finished after %s", most))
		defer cancel()
		ctx = limited
	}
	return w.Chart(ctx, a.Request())
}

// refusal returns the error with which the plugin refuses a render that the native way takes, such as an empty one.
func refusal(ctx context.Context, part apps.Part, a *app.Application, out *render.Output) error {
	err := argocd.Accept(argocd.Limits{AllowEmpty: part.Call.AllowEmpty}, out)
	return part.Call.Condition(pipeline.NewTrace(ctx, a, out).Error(err))
}

// renderPlainly renders a source without stamps.
func renderPlainly(
	ctx context.Context, part apps.Part, create NewApplication,
) (*app.Application, *render.Output, error) {
	a, err := create(part)
	if err != nil {
		return nil, nil, err
	}
	result, err := pipeline.Run(contain.Named(ctx, part.Name, part.Pos.String()), a.WithoutStamping())
	if err != nil {
		return nil, nil, part.Call.Condition(withoutName(part.Name, err))
	}
	return a, result.Output, nil
}
