package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/workspace"
)

type convertCommand struct {
	applicationFlags
	name              string
	check, pin, paths bool
}

func newArgocdConvert(p *program) *cobra.Command {
	var v convertCommand
	c := &cobra.Command{
		Use:   "convert FILE",
		Short: "Have rollstamp render what Argo CD renders natively",
		Long: `Print FILE with each native source of its Applications, and of the templates of its ApplicationSets,
turned into one that the plugin renders: the options of helm, kustomize and directory become
parameters of the same names. All other bytes stay, and comments among the options come along.

What has changed is reported on standard error. What cannot be converted stays native and is reported
too, with exit code 1: values that are set in parts and so in an order, options that are not known, and values
from another repository ($ref), whose files Argo CD hands to no plugin. An ApplicationSet is converted
as a whole or not at all: where its templatePatch or a generator's template sets options, or may do so,
they would lie beside the plugin, which Argo CD refuses. The parameter refs replaces $ref where it is the source's own repository, or pinned to a commit; --pin takes the commit that it is
at now, which is found as argocd render --revisions finds it.

With --paths each gets the annotation argocd.argoproj.io/manifest-generate-paths, with what its render
reads; so does the template of an ApplicationSet whose Applications all read the same beside their own
folders. An annotation that is there is held against what is read, and stays.

With --check both are rendered, as argocd render does it, and compared byte by byte; objects that
differ are named, with exit code 1, and nothing is printed. How many sources are converted is reported,
and how many are left.`,
		Example: `  rollstamp argocd convert apps/web.yaml > web.yaml
  rollstamp argocd convert --check --paths apps/web.yaml
  rollstamp argocd convert --pin --repo https://git.example.org/values=../values apps/web.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return v.run(c.Context(), p, args[0]) },
	}
	v.add(c)
	c.Flags().BoolVar(&v.paths, "paths", false,
		"write the annotation for the paths that are read, too, as argocd paths prints it")
	c.Flags().StringVar(&v.name, "name", pluginDefault, "name of the plugin")
	c.Flags().BoolVar(&v.pin, "pin", false,
		"pin other repositories that values come from to the commit that they are at")
	c.Flags().BoolVar(&v.check, "check", false, "render both ways, and compare; nothing is printed where they differ")
	return c
}

func (v *convertCommand) run(ctx context.Context, p *program, path string) error {
	text, err := p.slurp(path)
	if err != nil {
		return err
	}
	pin, done, err := v.pinning(ctx, p, path)
	if err != nil {
		return err
	}
	defer done()
	c, err := convert.File(text, path, v.name, pin)
	if err != nil {
		return err
	}
	if len(c.Changed)+len(c.Left) == 0 {
		err := errors.New("holds no Application and no ApplicationSet with a source to render")
		return diag.Input(diag.Position{File: path}, err, "")
	}
	v.plugins = append(v.plugins, v.name)
	switch {
	case v.check && len(c.Changed) == 0:
		fmt.Fprintf(p.err, "%s: nothing is converted\n", path)
	case v.check:
		differ, err := v.compare(ctx, p, path, text, c.Text)
		if err != nil || differ {
			return err
		}
	}
	reportConversion(p, c)
	if v.paths {
		if c.Text, err = v.annotate(ctx, p, path, c.Text); err != nil {
			return err
		}
	}
	return p.emit(bytes.NewReader(c.Text))
}

// pinning finds commits where that is asked for. What it returns last is to be called in the end.
func (v *convertCommand) pinning(ctx context.Context, p *program, path string) (convert.Pin, func(), error) {
	if !v.pin {
		return nil, func() {}, nil
	}
	flags := v.applicationFlags
	flags.revisions = true
	w, err := flags.world(p, []string{path})
	if err != nil {
		return nil, nil, err
	}
	pin := func(address string, rev workspace.Revision) (string, error) {
		tree, err := w.Repositories.FindRevision(ctx, address, rev)
		if err != nil {
			return "", err
		}
		return tree.Revision, nil
	}
	return pin, func() { _ = w.Repositories.Close() }, nil // it was only read
}

func reportConversion(p *program, c *convert.Result) {
	show := func(what string, all []convert.Note) {
		for _, n := range all {
			fmt.Fprintf(p.err, "%s: %s: %s%s\n", n.Object, n.Pos, what, n.Message)
		}
	}
	show("", c.Changed)
	show("note: ", c.Hints)
	show("not converted: ", c.Left)
	if len(c.Left) > 0 {
		p.exit = diag.ExitFindings
	}
}

// compare renders the applications of two texts, and reports whether they differ, and in what.
func (v *convertCommand) compare(
	ctx context.Context, p *program, path string, before, after []byte,
) (differ bool, err error) {
	w, err := v.world(p, []string{path})
	if err != nil {
		return false, err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	c, err := w.BothWays(ctx, path, before, after, v.part(p))
	for _, line := range c.Differences {
		fmt.Fprintln(p.err, line)
	}
	if err != nil {
		return len(c.Differences) > 0, err
	}
	if len(c.Differences) > 0 {
		p.exit = diag.ExitFindings
		return true, nil
	}
	fmt.Fprintf(p.err, "%s: %d of %s converted, with the same render both ways; %d left native\n", path, c.Compared,
		diag.Count(c.Compared+c.Native, "source"), c.Native)
	return false, nil
}
