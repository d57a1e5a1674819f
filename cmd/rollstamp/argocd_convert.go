package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/workspace"
)

type convertCommand struct {
	applicationFlags
	name                      string
	check, pin, follow, paths bool
	version, helm             string // of Argo CD; the path of a repo-server's helm
}

func newArgocdConvert(p *program) *cobra.Command {
	var v convertCommand
	c := &cobra.Command{
		Use:   "convert PATH...",
		Short: "Have rollstamp render what Argo CD renders natively",
		Long: `Print the file PATH with each native source of its Applications, and of the templates of its
ApplicationSets, turned into one that the plugin renders: the options of helm, kustomize and directory become
parameters of the same names. All other bytes stay, and comments among the options come along.

What has changed is reported on standard error. What cannot be converted stays native and is reported
too, with exit code 1: values that are set in parts and so in an order, options that are not known or, where the
repository is at hand, of another kind than the folder's files, and values from another repository ($ref), whose
files Argo CD hands to no plugin. An ApplicationSet is converted as a whole or not at all: where its
templatePatch or a generator's template sets options, or may do so, they would lie beside the plugin, which
Argo CD refuses. The parameter refs replaces $ref where it is the
source's own repository, or pinned to a commit; --pin takes the commit that it is at now, which is found as
argocd render --revisions finds it. --follow writes the revision itself, whose commit rollstamp lock --as argocd
writes into rollstamp.lock; without such a line the plugin resolves it at each render, where the operator allows
network and moving-refs.

With --paths each gets the annotation argocd.argoproj.io/manifest-generate-paths, with what its render
reads; so does the template of an ApplicationSet whose Applications all read the same beside their own
folders. An annotation that is there is held against what is read, and stays.

With --check both are rendered, as argocd render does it, and compared byte by byte; objects that
differ are named, with exit code 1, and nothing is printed. How many sources are converted is reported,
and how many are left. There may be several PATHs then, and folders, with all manifests below them except in
hidden folders and in templates of charts; none of them is printed, and one that fails does not stop the others.
With --helm, the helm that your repo-server has renders each chart as Argo CD calls it, and what it prints has to
be the same bytes.

--argocd-version writes the Helm that this Argo CD has, as the option version of each chart. Argo CD itself
reads no version of an Application, so that the field is not taken over then. Before v3.3 the dry source of
a hydrator takes no plugin, and stays as it is.`,
		Example: `  rollstamp argocd convert apps/web.yaml > web.yaml
  rollstamp argocd convert --check --paths apps/web.yaml
  rollstamp argocd convert --check apps/
  rollstamp argocd convert --check --argocd-version v3.5.0 --helm ./helm apps/web.yaml
  rollstamp argocd convert --pin --repo https://git.example.org/values=../values apps/web.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error {
				return p.reportingAtOnce(func() error { return v.run(c.Context(), p, args) })
			})
		},
	}
	v.add(c)
	addIsolate(c.Flags())
	c.Flags().BoolVar(&v.paths, "paths", false,
		"write the annotation for the paths that are read, too, as argocd paths prints it")
	c.Flags().StringVar(&v.version, "argocd-version", "",
		"version of Argo CD, as v3.5.0: charts are rendered with the Helm that it has")
	c.Flags().StringVar(&v.helm, "helm", "",
		"with --check, the helm of the repo-server: its render of each chart is compared, too")
	c.Flags().StringVar(&v.name, "name", pluginDefault, "name of the plugin")
	c.Flags().BoolVar(&v.pin, "pin", false,
		"pin other repositories that values come from to the commit that they are at")
	c.Flags().BoolVar(&v.follow, "follow", false,
		"let other repositories that values come from follow their branch or range of versions")
	c.Flags().BoolVar(&v.check, "check", false, "render both ways, and compare; nothing is printed where they differ")
	return c
}

func (v *convertCommand) run(ctx context.Context, p *program, names []string) error {
	if err := v.validate(); err != nil {
		return err
	}
	if v.version != "" {
		version, err := argocd.ParseVersion(v.version, "argocd-version")
		if err != nil {
			return err
		}
		p.noteVersion(version)
	}
	v.plugins = append(v.plugins, v.name)
	if len(names) > 1 || isFolder(names[0]) {
		return v.checkAll(ctx, p, names)
	}
	f, err := v.convert(ctx, p, names[0])
	switch {
	case err != nil:
		return err
	case f.isEmpty():
		err := errors.New("holds no Application and no ApplicationSet with a source to render")
		return diag.Input(diag.Position{File: f.path}, err, renderedFirst("convert"))
	case v.check && len(f.Changed) == 0:
		fmt.Fprintf(p.err, "%s: nothing is converted\n", f.path)
	case v.check:
		c, err := v.compare(ctx, p, f)
		if err != nil || len(c.Differences) > 0 {
			reportLeft(p, f.Result)
			return err
		}
	}
	reportConversion(p, f.Result)
	if v.paths {
		if f.Text, err = v.annotate(ctx, p, f.path, f.Text); err != nil {
			return err
		}
	}
	return p.emit(bytes.NewReader(f.Text))
}

// convertedFile is a file, and what comes of it.
type convertedFile struct {
	*convert.Result
	path    string
	text    []byte         // as it was
	version argocd.Version // of Argo CD; zero where it is not known
}

// isEmpty reports whether there is nothing to convert in the file.
func (f *convertedFile) isEmpty() bool { return len(f.Changed)+len(f.Left)+f.Already == 0 }

// convert converts a file.
func (v *convertCommand) convert(ctx context.Context, p *program, path string) (*convertedFile, error) {
	text, err := p.slurp(path)
	if err != nil {
		return nil, err
	}
	pin, done, err := v.pinning(ctx, p, path)
	if err != nil {
		return nil, err
	}
	defer done()
	o := convert.Options{Plugin: v.name, Pin: pin}
	if v.version != "" {
		if o.Version, err = argocd.ParseVersion(v.version, "argocd-version"); err != nil {
			return nil, err
		}
	}
	var close func()
	if o.KindOf, close, err = v.kinds(ctx, p, path); err != nil {
		return nil, err
	}
	defer close()
	c, err := convert.File(text, path, o)
	return &convertedFile{c, path, text, o.Version}, err
}

// pinning finds commits where that is asked for. What it returns last is to be called in the end.
func (v *convertCommand) pinning(ctx context.Context, p *program, path string) (convert.Pin, func(), error) {
	switch {
	case v.follow:
		return followed, func() {}, nil
	case !v.pin:
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

// kinds returns what finds out the kinds of folders in the repositories that can be read. What it returns last is to be
// called in the end.
func (v *convertCommand) kinds(ctx context.Context, p *program, file string) (
	kindOf func(address string, rev workspace.Revision, path string) (render.Kind, bool), done func(), err error,
) {
	w, err := v.world(p, []string{file})
	if err != nil {
		return nil, nil, err
	}
	kindOf = func(address string, rev workspace.Revision, path string) (render.Kind, bool) {
		tree, err := w.Repositories.FindRevision(ctx, address, rev)
		if err != nil {
			return "", false
		}
		dir, err := tree.Folder(path)
		if err != nil {
			return "", false
		}
		kind, err := argocd.Detect(tree.Files, dir)
		return kind, err == nil
	}
	return kindOf, func() { _ = w.Repositories.Close() }, nil // it was only read
}

// followed returns the revision that the plugin resolves at each render.
func followed(_ string, rev workspace.Revision) (string, error) {
	if strings.ContainsAny(rev.Name+rev.TagPrefix, "@? ") {
		return "", fmt.Errorf("the plugin cannot follow %q: pin it with --pin, or write a range without blanks, as "+
			">=1.0.0,<1.2", rev.TagPrefix+rev.Name)
	}
	if isAbbreviated(rev.Name) {
		return "", fmt.Errorf("%s is a part of a commit's hash, which nothing follows: write all 40 digits, or pin it with "+
			"--pin", rev.Name)
	}
	name := cmp.Or(rev.Name, "HEAD")
	if rev.TagPrefix != "" {
		name += argocd.TagPrefixMark + rev.TagPrefix
	}
	return name, nil
}

// isAbbreviated reports whether a revision is the beginning of a commit's hash, and no name that people give.
func isAbbreviated(rev string) bool {
	const shortest, all = 7, 40
	return len(rev) >= shortest && len(rev) < all && strings.Trim(rev, "0123456789abcdef") == "" &&
		strings.ContainsAny(rev, "0123456789") && strings.ContainsAny(rev, "abcdef")
}

func reportConversion(p *program, c *convert.Result) {
	showNotes(p, "", c.Changed)
	if c.Already > 0 {
		fmt.Fprintf(p.err, "%s had the plugin already\n", diag.Count(c.Already, "source"))
	}
	reportLeft(p, c)
}

// reportLeft reports what is not converted, and what the user may have to change elsewhere.
func reportLeft(p *program, c *convert.Result) {
	showNotes(p, "note: ", c.Hints)
	showNotes(p, "not converted: ", c.Left)
	if len(c.Left) > 0 {
		p.exit = diag.ExitFindings
	}
}

func showNotes(p *program, what string, all []convert.Note) {
	for _, n := range all {
		fmt.Fprintf(p.err, "%s: %s: %s%s\n", n.Object, n.Pos, what, n.Message)
	}
}
