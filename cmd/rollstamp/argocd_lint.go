package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

type argocdLintCommand struct {
	settingsFlags
	plugin, failOn, output, clusters string
	repos                            []string
	render                           bool
	timeout                          time.Duration
}

func newArgocdLint(p *program) *cobra.Command {
	var l argocdLintCommand
	c := &cobra.Command{
		Use:   "lint PATH...",
		Short: "Find what Argo CD would ignore or refuse",
		Long: `Check plugin files, Applications and ApplicationSets that use rollstamp, and the sidecar that runs it:
a Deployment, a patch, a kustomization that holds them, or values for the chart argo-cd, in a file or in
an Application, a HelmRelease or a kustomization that passes them on. Argo CD ignores misspelt keys of a
plugin's file in silence; lint names them with their line. PATH is a file, or a folder with all manifests
below it except in hidden folders and in templates of charts; - is standard input.

Sources in a repository that PATH lies in, or that --repo names, are looked into: a file with values that is not
there is found, whatever else a kustomization names and that is not there or may not be read, and an option of
another kind of source than the folder has. So it is for sources that Argo CD renders itself, and for the
Applications that an ApplicationSet makes; a generator that cannot be resolved here is named, and of what it
makes only the template is checked. With --render those of the plugin are rendered, too,
with what the environment and the policy file allow: what the plugin would refuse is found then, and what differs
from one render to the next, so that selfHeal never rests. A source whose files cannot be had here is named.

Findings go to standard output. The exit code is 1 where one reaches --fail-on.`,
		Example: `  rollstamp argocd lint plugin.yaml apps/
  rollstamp argocd install --image registry.example/rollstamp:1.0.0 | rollstamp argocd lint -
  rollstamp argocd lint --render --repo https://git.example.org/shop=../shop apps/*.yaml
  kubectl get deployment argocd-repo-server -n argocd -o yaml | rollstamp argocd lint -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.isolated(c, args, func() error {
				if !c.Flags().Changed("plugin") {
					l.plugin = p.pluginIn(args)
				}
				return l.run(c.Context(), p, args)
			})
		},
	}
	addIsolate(c.Flags())
	c.Flags().StringVar(&l.plugin, "plugin", pluginDefault,
		"name under which Applications know rollstamp (default that of the plugin among the files, or rollstamp)")
	c.Flags().Lookup("plugin").DefValue = ""
	c.Flags().StringArrayVar(&l.repos, "repo", nil, "where a repository lies on this machine: URL=FOLDER")
	c.Flags().StringVar(&l.clusters, "clusters", "",
		"file with the Secrets that register clusters, for generators that ask for them")
	l.addNamed(c, "allow", "cache-dir", "helm-version")
	durationFlag(c.Flags(), &l.timeout, "timeout", 0, "with --render, time that one source may take; 0 is no limit")
	c.Flags().BoolVar(&l.render, "render", false, "render the sources whose repository is on this machine, too")
	c.Flags().StringVar(&l.failOn, "fail-on", string(config.FailOnWarning),
		"least severity of a finding that makes the exit code 1")
	addFormat(c, &l.output, formats...)
	offer(c, "fail-on", config.FailOn("").Choices()...)
	return c
}

func (l *argocdLintCommand) run(ctx context.Context, p *program, names []string) error {
	var failOn config.FailOn
	if err := failOn.UnmarshalText([]byte(l.failOn)); err != nil {
		return diag.Usage(fmt.Errorf("--fail-on: %w", err), "")
	}
	if err := oneOf("output", l.output, formats...); err != nil {
		return err
	}
	all := []diag.Finding{}
	var errs []error
	for _, name := range names {
		found, err := l.path(ctx, p, name)
		if ctx.Err() != nil {
			return cmp.Or(err, context.Cause(ctx)) // what was found until then may be due to that
		}
		all, errs = append(all, found...), append(errs, err)
	}
	failed := errors.Join(errs...)
	if failed != nil && len(all) == 0 {
		return failed // there is nothing to report
	}
	for _, f := range all {
		if failOn.IsReached(f.Severity) {
			p.exit = diag.ExitFindings
		}
	}
	return errors.Join(emitFindings(p, all, l.output), failed)
}

// pluginIn returns the name of the plugin that runs rollstamp by files and those below folders, the default where they
// have none or several.
func (p *program) pluginIn(paths []string) string {
	var names []string
	system := files.OrDisk(p.wiring.Disk().Files)
	for _, path := range paths {
		place, err := typed.Find(system, path)
		if path == "-" || err != nil {
			continue // it can be read once; or whoever checks it reports that
		}
		for _, file := range place.Files {
			if text, err := system.ReadFile(file); err == nil {
				names = append(names, lint.Names(text)...)
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 {
		return names[0]
	}
	return pluginDefault
}

// path checks a file, or those below a folder.
func (l *argocdLintCommand) path(ctx context.Context, p *program, name string) ([]diag.Finding, error) {
	if name == "-" {
		return l.file(ctx, p, name)
	}
	place, err := typed.Find(p.wiring.Disk().Files, name)
	var absent *diag.Error
	switch {
	case errors.As(err, &absent) && errors.Is(err, fs.ErrNotExist):
		with := *absent
		with.Hint = "Name a file or folder with what Argo CD has of the plugin, or - for standard input."
		return nil, &with
	case err != nil:
		return nil, err
	case !place.Folder:
		return l.file(ctx, p, name)
	}
	return l.folder(ctx, p, name, place.Files)
}

// folder checks the files of a folder, of which some may be for others, and no templates of charts.
func (l *argocdLintCommand) folder(
	ctx context.Context, p *program, folder string, names []string,
) (all []diag.Finding, err error) {
	system, isEmpty := p.wiring.Disk().Files, true
	var errs []error
	for _, name := range names {
		if typed.IsTemplate(system, name) {
			continue
		}
		found, err := l.file(ctx, p, name)
		var unread *unreadError
		switch {
		case err == nil:
		case !typed.Conceals(system, name, apps.Group):
			p.leaveOut(system, err)
			continue
		case errors.As(err, &unread):
			found, err = []diag.Finding{lint.Unreadable(unread.err, typed.IsLikeTemplate(name, unread.text))}, nil
		}
		if len(found) == 1 && found[0].Code == diag.Skipped && found[0].Line == 0 {
			continue // the file holds nothing to check
		}
		isEmpty = false
		all, errs = append(all, found...), append(errs, err)
	}
	if isEmpty {
		all = append(all, lint.Nothing(folder))
	}
	return all, errors.Join(errs...)
}

func (l *argocdLintCommand) file(ctx context.Context, p *program, name string) ([]diag.Finding, error) {
	text, err := p.slurp(name)
	if err != nil {
		return nil, err
	}
	shown := name
	if name == "-" {
		shown = "<stdin>"
	}
	rules := p.lintRules(l.plugin, name, text)
	objects, err := appset.Parse(text, shown)
	if err != nil {
		rules.Unread = err
	} else if objects.IsEmpty() {
		return readFile(shown, text, rules)
	} else if rules.Looked, err = l.look(ctx, p, name, objects); err != nil {
		return nil, err
	}
	return readFile(shown, text, rules)
}

// unreadError is why a file cannot be read as manifests.
type unreadError struct {
	err  error
	text []byte
}

func (e *unreadError) Error() string { return e.err.Error() }

func (e *unreadError) Unwrap() error { return e.err }

func readFile(name string, text []byte, rules lint.Rules) ([]diag.Finding, error) {
	found, err := lint.File(name, text, rules)
	if err != nil {
		return nil, &unreadError{err, text}
	}
	return found, nil
}

// look looks into the repositories of a file's Applications.
func (l *argocdLintCommand) look(
	ctx context.Context, p *program, name string, objects *appset.Objects,
) (map[string]*lint.Looked, error) {
	flags := applicationFlags{
		pluginFlags: pluginFlags{loadRestrictor: rootOnly, settingsFlags: l.settingsFlags,
			timeout: cmp.Or(l.timeout, plugin.NoLimit)},
		argoFlags: argoFlags{repos: l.repos, clusters: l.clusters, home: "argocd", plugins: []string{l.plugin}}}
	w, err := flags.world(p, []string{name})
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	var answer rounds.Answer
	if l.render {
		answer = flags.answer(p.wiring)
	}
	preparer := flags.preparer(p.wiring)
	check := rounds.Checks{Refs: preparer.CheckRefs,
		Files: func(ctx context.Context, call *argocd.Call, req render.Request) []error {
			s, err := preparer.Settings(call)
			if err != nil {
				return []error{err}
			}
			return p.wiring.CheckFiles(ctx, s, call.Kind, req)
		}}
	return w.Look(ctx, objects, check, answer)
}

// emitFindings prints findings as what was asked for.
func emitFindings(p *program, all []diag.Finding, format string) error {
	if format == "json" {
		return p.emitJSON("findings", all, indentedJSON)
	}
	var out bytes.Buffer
	style := p.resultStyle()
	style.Least, style.Hints, style.Most = diag.Info, true, 0 // they are what was asked for
	report.Findings(&out, all, style)
	return p.emit(&out)
}
