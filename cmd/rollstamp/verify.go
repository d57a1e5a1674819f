package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
	"github.com/rollstamp/rollstamp/wiring"
)

type verifyCommand struct {
	stampCommand
	output  string
	against string
	twice   string
	pass    bool
}

func newVerify(p *program) *cobra.Command {
	var v verifyCommand
	c := &cobra.Command{
		Use:   "verify [FILE...|-]",
		Short: "Guard the end of a pipe: stamped, complete, stable and not empty",
		Long: `Read manifests from each FILE, or from standard input, and fail with exit code 1 where something is
wrong with them that no command of the pipe has noticed, with the objects that are concerned:

- there is none: Helm 3 and kubectl's pruning would delete all that a release had;
- a document is no object, or a line is none of its object's, such as a warning that a program has
  printed between its manifests;
- one lacks its stamps, or has other ones: kustomize skips a function silently without --enable-exec;
- with --against, one that went in has not come out, or came out otherwise but for its stamps, or had
  not gone in: PATH is a file of what went in, or a folder that rollstamp renders;
- with --twice, the shell command COMMAND, which made the manifests, prints an object otherwise now.

Of what kustomize's generators made, the hash in the name counts as a stamp. With --pass, manifests that are
good go on to standard output, and what is wrong is reported on standard error.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec overlays/prod |
    rollstamp verify --allow exec-plugins --against overlays/prod
  helm template web charts/web > in.yaml; rollstamp stamp in.yaml | rollstamp verify --against in.yaml
  kustomize build overlays/prod | rollstamp stamp | rollstamp verify --pass | kubectl apply -f -
  rollstamp verify rendered.yaml --twice 'helm template web charts/web | rollstamp stamp'`,
		RunE: func(c *cobra.Command, args []string) error { return v.run(c.Context(), p, c.Flags(), args) },
	}
	v.add(c)
	f := c.Flags()
	f.Lookup("fail-on").DefValue = string(config.FailOnError)
	if err := f.MarkHidden("in-place"); err != nil {
		panic(err) // it is there: stamp's flags are ours
	}
	f.StringVar(&v.against, "against", "", "file or folder `PATH` of what went in: the same objects have to come out")
	f.StringVar(&v.twice, "twice", "", "shell `COMMAND` that made the manifests: it has to print them again")
	f.BoolVar(&v.pass, "pass", false, "print the manifests where they are good, and findings on standard error")
	f.StringVarP(&v.output, "output", "o", "text", "format: "+strings.Join(report.FindingsFormats(), ", "))
	offer(c, "output", report.FindingsFormats()...)
	return c
}

func (v *verifyCommand) run(ctx context.Context, p *program, flags *pflag.FlagSet, files []string) error {
	empty := v.allowEmpty
	v.allowEmpty = true // that there is nothing is a finding
	if err := v.checkFlags(flags); err != nil {
		return err
	}
	stream, _, err := v.stream(ctx, p, files)
	if err != nil {
		return err
	}
	text, namespace := stream.Stream().Text, stream.Stream().Namespace
	places := render.NewPlaces(text, stream.Stream().Origins)
	got, err := check.ReadManifests(text, namespace)
	if err != nil {
		return places.Move(err)
	}
	found, err := check.FindOthers(text, places.At)
	if err != nil {
		return places.Move(err)
	}
	if !empty {
		found = append(found, got.FindEmpty()...)
	}
	before, err := v.wentIn(ctx, p)
	if err != nil {
		return err
	}
	for _, part := range []func() ([]diag.Finding, error){
		func() ([]diag.Finding, error) { return v.unstamped(ctx, p, stream, got, before) },
		func() ([]diag.Finding, error) { return incomplete(ctx, stream, got, before) },
		func() ([]diag.Finding, error) { return v.unstable(ctx, p, got, namespace) },
	} {
		more, err := part()
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	return v.finish(p, stream, diag.Sort(stream.Settings().Severity(found)))
}

// checkFlags finds what is wrong with the flags before any file is read.
func (v *verifyCommand) checkFlags(f *pflag.FlagSet) error {
	err := oneOf("output", v.output, report.FindingsFormats()...)
	switch {
	case err != nil:
		return err
	case v.inPlace:
		return diag.Usage(errors.New("unknown flag: --in-place"), "verify writes nothing.")
	case f.Changed("against") && v.against == "", f.Changed("twice") && v.twice == "":
		return diag.Usage(errors.New("--against and --twice want something to compare with, and one is empty"),
			"Is it a variable that is not set?")
	case v.against == "-":
		return diag.Usage(errors.New("--against needs the name of a file or folder"), "Put what went in into a file.")
	}
	return nil
}

// finish reports what was found, and passes on what is good.
func (v *verifyCommand) finish(p *program, stream *app.Application, found []diag.Finding) error {
	least := config.FailOnError
	if s := stream.Settings().FailOn; s.Source != config.Default {
		least = s.Value
	}
	if slices.ContainsFunc(found, func(f diag.Finding) bool { return least.IsReached(f.Severity) }) {
		p.exit = diag.ExitFindings
	}
	if !v.pass {
		return showFindings(p, v.output, found)
	}
	p.warn(found)
	if p.exit != diag.ExitOK {
		return nil
	}
	return p.emit(bytes.NewReader(stream.Stream().Text))
}

// wentIn renders what went into the pipe; nil where nothing says what that is.
func (v *verifyCommand) wentIn(ctx context.Context, p *program) (*pipeline.Result, error) {
	if v.against == "" {
		return nil, nil
	}
	paths := wiring.Paths{Wiring: p.wiring, Flags: v.flags()}
	a, err := paths.Application(ctx, p.wiring.Disk(), v.against)
	if err != nil {
		return nil, err
	}
	return pipeline.Run(ctx, a.WithoutStamping())
}

// unstamped returns findings about objects without the stamps that they should have. What is rolled by name needs none,
// and where there are some, they are to be right. What went in tells what is random, and is in no digest.
func (v *verifyCommand) unstamped(
	ctx context.Context, p *program, stream *app.Application, got check.Manifests, before *pipeline.Result,
) ([]diag.Finding, error) {
	named, err := check.FindRolledByName(stream.Stream().Text)
	if err != nil {
		return nil, err
	}
	opaque, found, err := check.FindNamedByPlaintext(stream.Stream().Text)
	if err != nil {
		return nil, err
	}
	named = append(named, opaque...)
	rolled := slices.Clone(named)
	settings := stream.Settings()
	prefix := app.StampPrefix(settings)
	final := stream.WithStream(check.WithFinalNames(stream.Stream(), named, got, prefix))
	text := string(final.Stream().Text)
	named = slices.DeleteFunc(named, func(o config.ContentMatch) bool {
		return strings.Contains(text, prefix.Annotation("", string(o.Kind), string(o.Name))+":")
	})
	missing, unknown, err := v.missing(ctx, p, ignoring(final, named))
	if err == nil && len(named) > 0 && len(missing) > 0 {
		var stamped []diag.Finding // in variables, or in one stamp for all
		stamped, _, err = v.missing(ctx, p, final)
		missing = inBoth(missing, stamped)
	}
	if err == nil && len(missing) > 0 {
		missing, err = v.withoutRandom(ctx, p, missing, ignoring(final, named), before)
	}
	if err == nil && len(rolled) > 0 && len(missing) > 0 { // a function wrote such stamps by the names that it knew
		earlier, unstamped, failed := check.WithGeneratorNames(stream.Stream(), rolled, got)
		if failed != nil {
			return nil, failed
		}
		var byFunction []diag.Finding
		byFunction, _, err = v.missing(ctx, p, ignoring(stream.WithStream(earlier), unstamped))
		missing = inBoth(missing, byFunction)
	}
	if before == nil {
		missing = sayRandom(missing, stream.Stream().Text)
	}
	return slices.Concat(found, missing, unknown), err
}

// sayRandom returns findings about stamps with a hint for everybody: a chart may make at random what they are not of,
// and nothing in its manifests says so.
func sayRandom(missing []diag.Finding, text []byte) []diag.Finding {
	if !bytes.Contains(text, []byte("\n# Source: ")) {
		return missing
	}
	out := slices.Clone(missing)
	for i, f := range out {
		if f.Code == diag.StampMissing {
			out[i] = f.AsNotice()
			out[i].Hint = "A chart has rendered this. What it makes at random is in no stamp of rollstamp render, and only " +
				"rendering again shows what that is: pass --against CHART, with its values. Else something in the pipe has " +
				"not stamped, or has changed what was stamped."
		}
	}
	return out
}

// withoutRandom returns the findings about stamps that are no others where what is random in what went in does not
// count.
func (v *verifyCommand) withoutRandom(
	ctx context.Context, p *program, missing []diag.Finding, stream *app.Application, before *pipeline.Result,
) ([]diag.Finding, error) {
	if before == nil || before.Output.SecondRender == nil {
		return missing, nil
	}
	again := *stream.Stream()
	again.SecondRender = before.Output.SecondRender
	random, _, err := v.missing(ctx, p, stream.WithStream(&again))
	return inBoth(missing, random), err
}

// ignoring returns manifests of which objects restart nothing.
func ignoring(stream *app.Application, named []config.ContentMatch) *app.Application {
	without := stream.Settings().Clone()
	without.Ignore.Value = slices.Concat(without.Ignore.Value, named)
	return stream.WithSettings(without)
}

// inBoth returns the findings about objects that other ones are about, too.
func inBoth(found, others []diag.Finding) []diag.Finding {
	return slices.DeleteFunc(found, func(f diag.Finding) bool {
		return !slices.ContainsFunc(others, func(o diag.Finding) bool { return o.Object == f.Object })
	})
}

// missing returns findings about objects of a stream that stamping changes, and about stamps that it leaves as they are
// because it does not know what they are of.
func (v *verifyCommand) missing(
	ctx context.Context, p *program, stream *app.Application,
) (found, unknown []diag.Finding, err error) {
	a, err := p.wiring.WithStamping(v.flags(), stream)
	if err != nil {
		return nil, nil, err
	}
	result, err := pipeline.Run(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	found, err = check.FindUnstamped(ctx, result, a.Stamping().Key)
	trace := pipeline.NewTrace(ctx, a, result.Output)
	return trace.Findings(found), trace.Findings(check.FindUnknown(result)), err
}

// incomplete returns findings about objects that are not those that went in.
func incomplete(
	ctx context.Context, stream *app.Application, got check.Manifests, before *pipeline.Result,
) ([]diag.Finding, error) {
	if before == nil {
		return got.FindRepeated(), nil
	}
	texts := [][]byte{before.Text.Bytes(), before.Output.SecondRender, stream.Stream().Text}
	for i, text := range texts {
		var err error
		if texts[i], err = withoutMarks(ctx, stream, text); err != nil {
			return nil, err
		}
	}
	namespace := stream.Stream().Namespace
	in, err := check.ReadManifests(texts[0], namespace)
	if err != nil {
		return nil, err
	}
	out, err := check.ReadManifests(texts[2], namespace)
	if err != nil {
		return nil, err
	}
	pipe := check.Pipe{In: texts[0], Again: texts[1], Out: texts[2]}
	return append(out.FindLost(in), out.FindChanged(in, pipe, namespace)...), nil
}

// withoutMarks returns a text in which objects have the names that they had before they were stamped, without those
// that rollstamp has added: each of both has a mark.
func withoutMarks(ctx context.Context, stream *app.Application, text []byte) ([]byte, error) {
	namespace := stream.Stream().Namespace
	bare, err := stamp.Unstamp(ctx, text, stamp.Options{Namespace: namespace, Settings: stream.Settings()})
	if err != nil {
		return nil, err
	}
	edits, err := shape.Remove(ctx, bare, stream.Settings())
	if err != nil {
		return nil, err
	}
	return splice.Bytes(bare, edits), nil
}

// unstable returns findings about objects that another run prints otherwise.
func (v *verifyCommand) unstable(
	ctx context.Context, p *program, got check.Manifests, namespace string,
) ([]diag.Finding, error) {
	if v.twice == "" {
		return nil, nil
	}
	if v.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, v.timeout)
		defer cancel()
		ctx = limited
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", v.twice)
	cmd.Env, cmd.WaitDelay = config.WithHidden(cmd.Environ()), time.Second // for what the shell has started
	cmd.Stderr = p.err
	out, err := cmd.Output()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, diag.Input(diag.Position{}, fmt.Errorf("run the command of --twice: not finished after %s", v.timeout),
			"Allow more time with --timeout.")
	case err != nil:
		return nil, diag.Input(diag.Position{}, fmt.Errorf("run the command of --twice: %w", err),
			"It has to print the manifests once more, in this folder and without further input: try 'sh -c COMMAND' alone.")
	}
	again, err := check.ReadManifests(out, namespace)
	if err != nil {
		return nil, fmt.Errorf("read what the command of --twice printed: %w", err)
	}
	return got.FindUnstable(again), nil
}
