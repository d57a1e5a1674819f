package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
)

// pluginFlags are what the operator of a plugin says of all renders. What an application may say comes with the call.
type pluginFlags struct {
	settingsFlags
	timeout          time.Duration
	loadRestrictor   string
	allowEmpty       bool
	refuseDuplicates bool
}

// pluginTimeout is shorter than the 60 seconds after which Argo CD kills a plugin, so that the error is ours.
const pluginTimeout = 50 * time.Second

func (f *pluginFlags) add(c *cobra.Command) {
	f.stampFlags(c.Flags())
	c.Flags().StringVar(&f.cacheDir, "cache-dir", "", "folder for fetched charts and bases")
	c.Flags().DurationVar(&f.timeout, "timeout", pluginTimeout, "time that a render may take; Argo CD itself allows 60s")
	c.Flags().StringVar(&f.loadRestrictor, "load-restrictor", rootOnly, "kustomize: with "+rootNone+", files may lie outside the kustomization's folder")
	c.Flags().BoolVar(&f.allowEmpty, "allow-empty", false, "take renders without any object, though Argo CD then deletes all that is there")
	c.Flags().BoolVar(&f.refuseDuplicates, "refuse-duplicates", false, "refuse renders that hold an object twice, of which Argo CD applies the last")
	offerSettings(c)
	offer(c, "load-restrictor", rootOnly, rootNone)
}

// pluginJob is a plugin's call with what is in force for it.
type pluginJob struct {
	*job
	call  *argocd.Call
	flags *pluginFlags
	end   time.Time // of its time, where a part of that is gone; else zero
}

// pluginJob prepares a call. Errors are for the Application's condition.
func (p *program) pluginJob(call *argocd.Call, f *pluginFlags) (*pluginJob, error) {
	j, err := p.preparePlugin(call, f)
	return j, call.Tell(err)
}

func (p *program) preparePlugin(call *argocd.Call, f *pluginFlags) (*pluginJob, error) {
	if err := oneOf("load-restrictor", f.loadRestrictor, rootOnly, rootNone); err != nil {
		return nil, err
	}
	s, err := config.Resolve(config.Inputs{Place: config.Place{Dir: call.Dir, Root: call.Root, Files: call.Files}, Flags: f.flags(), Env: p.env})
	if err != nil {
		return nil, err
	}
	underArgoCD(s, call)
	j := &pluginJob{job: &job{program: p, settings: s, engines: p.engines(s)}, call: call, flags: f}
	if err := j.stamped(); err != nil {
		return nil, err
	}
	if err := j.fetchRefs(); err != nil {
		return nil, err
	}
	req, found, err := call.Request()
	if err != nil {
		return nil, err
	}
	j.findings = append(j.findings, found...)
	req.Allow, req.CacheDir, req.RegistryConfig = s.Permissions(), s.CacheDir.Value, config.HelmRegistryConfig(p.env)
	req.Kustomize.LoadRestrictor = f.loadRestrictor
	req.Kustomize.EnableExec, req.Kustomize.EnableAlphaPlugin = s.ExecPlugins.Value, s.ExecPlugins.Value
	j.app = pipeline.App{As: call.Kind, Request: req, Timeout: f.timeout, Stamp: j.app.Stamp}
	return j, nil
}

// fetchRefs brings the trees that stand for other sources of the application, where that is allowed. The render has the time that is
// left.
func (j *pluginJob) fetchRefs() error {
	if !j.call.Remote() {
		return nil
	}
	if !j.settings.Network.Value {
		return diag.Input(diag.Position{}, errors.New("refs: the network is not allowed"), "Say a folder of this repository, or allow the network with --allow network.")
	}
	j.end = time.Now().Add(j.flags.timeout)
	ctx, cancel := context.WithDeadline(context.Background(), j.end)
	defer cancel()
	return argocd.Retry(ctx, func(ctx context.Context) error { return j.call.Fetch(ctx, j.settings.CacheDir.Value) })
}

// underArgoCD makes settings those of a call. Objects without a namespace go to the destination. Digests of Secrets stay apart by
// project: the domain that an application's own file asks for makes that of its project only smaller. What the operator said with a
// flag or in the environment counts as it is.
func underArgoCD(s *config.Settings, call *argocd.Call) {
	if call.Namespace != "" && !byOperator(s.Namespace.Source) {
		s.Namespace = config.Setting[config.NonEmpty]{Value: config.NonEmpty(call.Namespace), Source: "env ARGOCD_APP_NAMESPACE"}
	}
	if call.Project != "" && !byOperator(s.HashDomain.Source) {
		domain := argocd.Domain(call.Project, string(s.HashDomain.Value))
		s.HashDomain = config.Setting[config.NonEmpty]{Value: config.NonEmpty(domain), Source: "env ARGOCD_APP_PROJECT_NAME"}
	}
	// A version that the configuration file pins counts before the destination's: it is there so that all renders are the same.
	if s.KubeVersion.Value != "" {
		call.KubeVersion = string(s.KubeVersion.Value)
	}
	if len(s.APIVersions.Value) > 0 {
		call.APIVersions = words(s.APIVersions.Value)
	}
}

func byOperator(s config.Source) bool {
	return strings.HasPrefix(string(s), "flag ") || strings.HasPrefix(string(s), "env ")
}

// run renders, and renders again where the network failed in a way that may pass. Nothing is left that Argo CD would not take. Errors
// are for the Application's condition.
func (j *pluginJob) run(ctx context.Context) (outcome, error) {
	end := j.end
	if end.IsZero() {
		end = time.Now().Add(j.flags.timeout)
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var result *pipeline.Result
	var watch *argocd.Watch
	render := func(ctx context.Context) (err error) {
		watch = j.watch()
		app, opts := j.app, *j.app.Stamp
		opts.Watch = watch.Document
		app.Stamp = &opts
		result, err = pipeline.Run(ctx, j.engines, app)
		return err
	}
	var err error
	if may := j.settings.Permissions(); may.Network || may.Stores {
		err = argocd.Retry(ctx, render)
	} else {
		err = render(ctx)
	}
	if err != nil {
		return outcome{}, j.call.Tell(err)
	}
	o, err := j.guarded(result, watch)
	return o, j.call.Tell(err)
}

// watch is what looks at each document of a render, while that is stamped.
func (j *pluginJob) watch() *argocd.Watch {
	return argocd.NewWatch(argocd.Limits{
		AllowEmpty:       j.flags.allowEmpty || j.call.AllowEmpty,
		RefuseDuplicates: j.flags.refuseDuplicates,
		Namespace:        string(j.settings.Namespace.Value),
	})
}

// guarded refuses what Argo CD would not take, and what the operator does not want it to.
func (j *pluginJob) guarded(result *pipeline.Result, watch *argocd.Watch) (outcome, error) {
	found, err := watch.Done(result.Output, result.Plan.Size())
	if err != nil {
		return outcome{}, err
	}
	j.findings = append(j.findings, news(found, result.Findings())...)
	o := j.outcome(result)
	for i, f := range o.findings {
		o.findings[i] = j.call.PlainFinding(f)
	}
	if o.reached {
		return outcome{}, j.refused(o.findings)
	}
	return o, nil
}

// news gives the findings about objects that others do not say already.
func news(found, said []diag.Finding) []diag.Finding {
	type about struct {
		code   diag.Code
		object string
	}
	known := map[about]bool{}
	for _, f := range said {
		known[about{f.Code, f.Object}] = true
	}
	return slices.DeleteFunc(found, func(f diag.Finding) bool { return known[about{f.Code, f.Object}] })
}

// refused is the error of a render whose findings reach --fail-on: Argo CD takes no manifests from a plugin that fails.
func (j *pluginJob) refused(findings []diag.Finding) error {
	var lines []string
	for _, f := range findings {
		if j.settings.FailOn.Value.Reached(f.Severity) {
			one := diag.Error{Object: f.Object, Pos: diag.Position{File: f.File, Line: f.Line}, Err: fmt.Errorf("%s [%s]", f.Message, f.Code)}
			lines = append(lines, one.Error())
		}
	}
	return &diag.Error{Exit: diag.ExitFindings, Err: errors.New(strings.Join(lines, "\n"))}
}
