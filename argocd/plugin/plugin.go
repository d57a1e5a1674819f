// Package plugin answers one call of the plugin: it renders, tries again if a source does not answer, and returns
// nothing that Argo CD would refuse.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Operator holds the operator's options for all calls.
type Operator struct {
	Timeout          time.Duration // for one call in total; more than 0
	LoadRestrictor   string        // kustomize's
	RegistryConfig   string        // credentials for registries of charts
	AllowEmpty       bool          // accepts renders without objects
	RefuseDuplicates bool          // refuses renders that contain an object twice
	// AsksAgain reports which lines of a lock about other repositories do not count, by their names: those repositories
	// are asked at which commit they are, where the network is allowed. Nil: all lines count.
	AsksAgain func(name string) bool
}

// NoLimit is longer than any render takes: the time of a call that nobody limits.
const NoLimit = 24 * time.Hour

// Job is a call with the settings for it.
type Job struct {
	App  *app.Application
	Call *argocd.Call

	operator Operator
	end      time.Time // of its time, where a part of that is gone; else zero
}

// Environment is what a call is rendered with.
type Environment struct {
	Engines  render.Engines
	Settings *config.Settings // with which the call has been reconciled
	Stamping app.Stamping
	Findings []diag.Finding // about the settings
}

// Prepare returns the job of a call. It fetches the trees of other sources, if that is allowed.
func Prepare(call *argocd.Call, env Environment, operator Operator) (*Job, error) {
	end, err := fetchRefs(call, env.Settings, operator)
	if err != nil {
		return nil, err
	}
	var followed []app.Followed
	for _, f := range call.Followed() {
		followed = append(followed, app.Followed{Name: f.Name, Commit: f.Commit})
	}
	req, found, err := call.Request()
	if err != nil {
		return nil, err
	}
	req.RegistryConfig, req.Kustomize.LoadRestrictor = operator.RegistryConfig, operator.LoadRestrictor
	a := app.New(app.Spec{
		Name: call.AppName, Kind: call.Kind, Request: &req, Engines: env.Engines, Settings: env.Settings,
		Stamping: &env.Stamping, Findings: slices.Concat(env.Findings, found), Timeout: operator.Timeout,
		Origin: app.Origin{Declared: call.Declared()}, Followed: followed,
	})
	return &Job{App: a, Call: call, operator: operator, end: end}, nil
}

// fetchRefs fetches the trees of other sources of the application, and returns when the time of the call ends: the
// render has the time that is left. The end is zero if there was nothing to fetch.
func fetchRefs(call *argocd.Call, s *config.Settings, operator Operator) (end time.Time, err error) {
	if !call.Remote() {
		return end, nil
	}
	locked, err := nearestLock(s, operator)
	if err != nil {
		return end, err
	}
	asksAgain := operator.AsksAgain
	if asksAgain != nil && !s.Network.Value { // of those that need none
		if err := call.Gone(locked, asksAgain); err != nil {
			return end, err
		}
		asksAgain = func(name string) bool { return operator.AsksAgain(name) && call.IsAtHand(name) }
	}
	if call.TakeCommits(locked, asksAgain); !call.Remote() {
		return end, nil // all are on this machine
	}
	if err := call.CheckFixed(); err != nil && !s.MovingRefs.Value && operator.AsksAgain == nil {
		return end, err
	}
	if call.TakeMoving(); !call.Remote() {
		return end, nil
	}
	if err := call.Absent(s.CacheDir.Value); err != nil && !s.Network.Value {
		return end, err
	}
	end = time.Now().Add(operator.Timeout)
	ctx, cancel := context.WithDeadline(s.Permissions().Hosts.Within(context.Background()), end)
	defer cancel()
	return end, argocd.Retry(ctx, func(ctx context.Context) error { return call.Fetch(ctx, s.CacheDir.Value) })
}

// nearestLock returns the lock that is in force for an application, nil where there is none.
func nearestLock(s *config.Settings, operator Operator) (*lock.File, error) {
	if operator.AsksAgain != nil { // it is to be written again
		return lock.NearestToWrite(s.Place())
	}
	return lock.Nearest(s.Place())
}

// Answer is the complete result of a call, ready to be applied.
type Answer struct {
	Result   *pipeline.Result
	Findings []diag.Finding // none of which fails the call
}

// Answer renders, and tries again if the network failed in a way that may pass. The answer contains nothing that Argo
// CD would refuse. Errors are for the Application's condition.
func (j *Job) Answer(ctx context.Context) (*Answer, error) {
	end := j.end
	if end.IsZero() {
		end = time.Now().Add(j.operator.Timeout)
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var result *pipeline.Result
	var watch *argocd.Watch
	render := func(ctx context.Context) (err error) {
		watch = j.watch()
		result, err = pipeline.Run(ctx, j.App.WithStamping(j.App.Stamping().WithWatch(watch.Document)))
		return err
	}
	var err error
	if may := j.App.Settings().Permissions(); may.Network || may.Stores {
		err = argocd.Retry(ctx, render)
	} else {
		err = render(ctx)
	}
	if err != nil {
		return nil, j.Call.Condition(err)
	}
	a, err := j.check(ctx, result, watch)
	return a, j.Call.Condition(err)
}

// watch returns the watch for one render, which reads each document while it is stamped.
func (j *Job) watch() *argocd.Watch {
	return argocd.NewWatch(argocd.Limits{
		AllowEmpty:       j.operator.AllowEmpty || j.Call.AllowEmpty,
		RefuseDuplicates: j.operator.RefuseDuplicates,
		Namespace:        string(j.App.Settings().Namespace.Value),
	})
}

// check refuses what Argo CD would not accept, or what the operator does not allow.
func (j *Job) check(ctx context.Context, result *pipeline.Result, watch *argocd.Watch) (*Answer, error) {
	found, err := watch.Finish(result.Output, result.Text.Size())
	if err != nil {
		return nil, err
	}
	watched := j.App.WithFindings(withoutKnown(found, result.Findings())...)
	a := &Answer{Result: result, Findings: pipeline.Findings(watched, result)}
	if watched.Fails(a.Findings) {
		return nil, j.findingsError(ctx, result.Output, a.Findings)
	}
	// findings that fail nothing are not traced, which would cost a server a second build
	for i, f := range a.Findings {
		a.Findings[i] = j.Call.PlainFinding(f)
	}
	return a, nil
}

// withoutKnown returns the findings about objects that are not among the known ones.
func withoutKnown(found, said []diag.Finding) []diag.Finding {
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

// findingsError returns the error of a render whose findings reach --fail-on: Argo CD accepts no manifests from a
// plugin that fails.
func (j *Job) findingsError(ctx context.Context, out *render.Output, findings []diag.Finding) error {
	fatal := slices.DeleteFunc(findings,
		func(f diag.Finding) bool { return !j.App.Settings().FailOn.Value.IsReached(f.Severity) })
	var lines []string
	for _, f := range pipeline.NewTrace(ctx, j.App, out).Findings(fatal) {
		f = j.Call.PlainFinding(f)
		one := diag.Error{Object: f.Object, Pos: f.Position(), Err: fmt.Errorf("%s [%s]", f.Message, f.Code)}
		lines = append(lines, one.Error())
	}
	return &diag.Error{Exit: diag.ExitFindings, Err: errors.New(strings.Join(lines, "\n"))}
}
