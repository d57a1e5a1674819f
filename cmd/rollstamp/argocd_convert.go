package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
)

type convertCommand struct {
	applicationFlags
	name       string
	check, pin bool
}

func newArgocdConvert(p *program) *cobra.Command {
	var v convertCommand
	c := &cobra.Command{
		Use:   "convert FILE",
		Short: "Have rollstamp render what Argo CD renders natively",
		Long: `Print FILE with each native source of its Applications, and of the templates of its ApplicationSets,
turned into one that the plugin renders: the options of helm, kustomize and directory become
parameters of the same names. All other bytes stay, and comments among the options come along.

Standard error tells what has changed. What cannot be converted stays native and is told too, with
exit code 1: values that are set in parts and so in an order, options that are not known, and values
from another repository ($ref), whose files Argo CD hands to no plugin. The parameter refs stands for
it where it is the source's own repository, or pinned to a commit; --pin takes the commit that it is
at now, which is found as argocd render --revisions finds it.

With --check both are rendered, as argocd render does it, and compared byte by byte; objects that
differ are named, with exit code 1, and nothing is printed.`,
		Example: `  rollstamp argocd convert apps/web.yaml > web.yaml
  rollstamp argocd convert --check apps/web.yaml
  rollstamp argocd convert --pin --repo https://git.example.org/values=../values apps/web.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.runConvert(c.Context(), &v, args[0]) },
	}
	v.add(c)
	c.Flags().StringVar(&v.name, "name", pluginDefault, "name of the plugin")
	c.Flags().BoolVar(&v.pin, "pin", false, "pin other repositories that values come from to the commit that they are at")
	c.Flags().BoolVar(&v.check, "check", false, "render both ways, and compare; nothing is printed where they differ")
	return c
}

func (p *program) runConvert(ctx context.Context, v *convertCommand, path string) error {
	text, err := p.slurp(path)
	if err != nil {
		return err
	}
	pin, done, err := p.pinning(ctx, v, path)
	if err != nil {
		return err
	}
	defer done()
	c, err := convert.File(text, path, v.name, pin)
	if err != nil {
		return err
	}
	if len(c.Changed)+len(c.Left) == 0 {
		return diag.Input(diag.Position{File: path}, errors.New("holds no Application and no ApplicationSet with a source to render"), "")
	}
	if v.check {
		v.plugins = append(v.plugins, v.name)
		differ, err := p.proven(ctx, v, path, text, c.Text)
		if err != nil || differ {
			return err
		}
	}
	p.explainConversion(c)
	return p.emit(bytes.NewReader(c.Text))
}

// pinning finds commits where that is asked for. What it returns last is to be called in the end.
func (p *program) pinning(ctx context.Context, v *convertCommand, path string) (convert.Pin, func(), error) {
	if !v.pin {
		return nil, func() {}, nil
	}
	flags := v.applicationFlags
	flags.revisions = true
	w, err := p.world(&flags, []string{path})
	if err != nil {
		return nil, nil, err
	}
	repos := w.instance.Repositories
	pin := func(address, rev string) (string, error) {
		tree, err := repos.Find(ctx, address, rev)
		if err != nil {
			return "", err
		}
		return tree.Revision, nil
	}
	return pin, func() { _ = repos.Close() }, nil // it was only read
}

// slurp reads a file or standard input.
func (p *program) slurp(path string) (text []byte, err error) {
	if path == "-" {
		text, err = io.ReadAll(p.in)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), "")
	}
	return text, nil
}

func (p *program) explainConversion(c *convert.Result) {
	tell := func(what string, all []convert.Note) {
		for _, n := range all {
			fmt.Fprintf(p.err, "%s: %s: %s%s\n", n.Object, n.Pos, what, n.Message)
		}
	}
	tell("", c.Changed)
	tell("note: ", c.Hints)
	tell("not converted: ", c.Left)
	if len(c.Left) > 0 {
		p.exit = diag.ExitFindings
	}
}

// proven renders the applications of two texts and reports whether they differ, and in what. One that fails does not stop the others.
func (p *program) proven(ctx context.Context, v *convertCommand, path string, before, after []byte) (differ bool, err error) {
	w, err := p.world(&v.applicationFlags, []string{path})
	if err != nil {
		return false, err
	}
	defer func() { _ = w.instance.Repositories.Close() }() // it was only read
	var all [2][]*apps.Application
	for i, text := range [][]byte{before, after} {
		objects, err := appset.Parse(text, path)
		if err != nil {
			return false, err
		}
		var errs []error
		if all[i], errs = objects.All(ctx, &w.around); errors.Join(errs...) != nil {
			return false, errors.Join(errs...)
		}
	}
	if len(all[0]) != len(all[1]) {
		return false, diag.Input(diag.Position{File: path}, fmt.Errorf("%d applications before and %d after", len(all[0]), len(all[1])), "")
	}
	compared := 0
	var errs []error
	for i, native := range all[0] {
		n, found, err := p.held(ctx, v, w, native, all[1][i])
		errs = append(errs, err)
		compared += n
		for _, line := range found {
			fmt.Fprintln(p.err, line)
		}
		differ = differ || len(found) > 0
	}
	if err := errors.Join(errs...); err != nil {
		return differ, err
	}
	if differ {
		p.exit = diag.ExitFindings
		return true, nil
	}
	what := "sources render"
	if compared == 1 {
		what = "source renders"
	}
	fmt.Fprintf(p.err, "%s: %d %s the same both ways\n", path, compared, what)
	return false, nil
}

// held compares one application's sources before and after, and counts them. Those that had a plugin are as they were.
func (p *program) held(ctx context.Context, v *convertCommand, w *world, before, after *apps.Application) (n int, found []string, err error) {
	native, err := before.Parts(ctx, &w.instance)
	if err != nil {
		return 0, nil, err
	}
	plugin, err := after.Parts(ctx, &w.instance)
	if err != nil {
		return 0, nil, err
	}
	for i, part := range native {
		if part.Plugin {
			continue
		}
		lines, err := p.bothWays(ctx, v, part, plugin[i])
		if err != nil {
			return n, found, fmt.Errorf("%s: %w", part.Name, err)
		}
		for _, line := range lines {
			found = append(found, part.Name+": "+line)
		}
		n++
	}
	return n, found, nil
}

// bothWays renders one source both ways, without stamps.
func (p *program) bothWays(ctx context.Context, v *convertCommand, native, plugin apps.Part) ([]string, error) {
	var results [2]*pipeline.Result
	for i, part := range []apps.Part{native, plugin} {
		j, err := p.partJob(part, &v.applicationFlags)
		if err != nil {
			return nil, err
		}
		if results[i], err = pipeline.Run(ctx, j.App.WithoutStamping()); err != nil {
			return nil, part.Call.Tell(err)
		}
	}
	return convert.Differences(results[0].Output.Text, results[1].Output.Text, results[0].Output.SecondRender)
}
