package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/workspace"
)

// Instance describes the Argo CD that would render the applications. The Kubernetes version of their destinations is
// part of each call.
type Instance struct {
	Repositories *workspace.Repositories
	Namespace    string   // Argo CD's own: the names of applications in others begin with their namespace
	Plugins      []string // names of plugins that are rollstamp
	// Foreign: a source of another plugin is a Part without a call, and not an error.
	Foreign bool
}

// Part is one source of an application, ready to be rendered.
type Part struct {
	Name   string        // the application's, with the number of the source if it has several
	Number int           // of the source, from 1; 0 if it is the only one
	Pos    diag.Position // where the source is written; of the application where that is not known
	Call   *argocd.Call
	Plugin bool // it is rendered, and so stamped, by rollstamp as a plugin
	// Foreign: another plugin renders it, and it has no call.
	Foreign bool
	Work    bool // it is read from a work tree, whatever revision it names
	// Assumed: it is because that revision is not known here.
	Assumed bool
	// Err is why it cannot be rendered, and only EachPart returns one: then it has a name, and no call.
	Err error
}

// Parts returns the sources of an application, in their order, without those that only others refer to.
func (a *Application) Parts(ctx context.Context, in *Instance) ([]Part, error) {
	all, err := a.EachPart(ctx, in)
	for _, p := range all {
		if err == nil {
			err = p.Err
		}
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// EachPart is Parts, but one that cannot be had has its error, and does not stop the others.
func (a *Application) EachPart(ctx context.Context, in *Instance) ([]Part, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	sources := a.sources()
	checkouts, errs := a.checkouts(ctx, in)
	refs := map[string]*workspace.Checkout{}
	for i, s := range sources {
		if s.Ref != "" && a.many() && checkouts[i] != nil {
			refs[s.Ref] = checkouts[i]
		}
	}
	var out []Part
	for i := range sources {
		s := &sources[i]
		if !s.isRendered() {
			continue
		}
		p := part{a: a, in: in, s: s, tree: checkouts[i], refs: refs}
		if in.Foreign && s.Plugin != nil && !p.ours(s.Plugin.Name) {
			out = append(out, Part{Foreign: true})
			continue
		}
		var made Part
		err := errs[i]
		if err == nil {
			err = referred(s, sources, errs)
		}
		if err == nil {
			made, err = p.make()
		}
		if made.Name = a.String(); len(sources) > 1 {
			made.Name, made.Number = fmt.Sprintf("%s source %d", a, i+1), i+1
		}
		made.Pos = a.placeOf(a.pathOf(i))
		if err != nil {
			made.Plugin, made.Err = s.Plugin != nil, a.about(err)
		} else {
			made.Work, made.Assumed = checkouts[i].Work, checkouts[i].Assumed
		}
		out = append(out, made)
	}
	if len(out) == 0 {
		return nil, a.Fail(errors.New("none of its sources has a path or a chart"), "")
	}
	return out, nil
}

// checkouts returns the files of each source, or why they cannot be had.
func (a *Application) checkouts(ctx context.Context, in *Instance) ([]*workspace.Checkout, []error) {
	sources := a.sources()
	all, errs := make([]*workspace.Checkout, len(sources)), make([]error, len(sources))
	areOurs := !slices.ContainsFunc(sources, func(s Source) bool { return s.isRendered() && s.Plugin == nil })
	for i := range sources {
		if areOurs && !sources[i].isRendered() {
			continue // a plugin gets nothing of it
		}
		all[i], errs[i] = in.checkout(ctx, &sources[i])
	}
	return all, errs
}

// referred returns why the files cannot be had of a source that another one refers to, nil where it refers to none of
// these. A plugin gets nothing of them.
func referred(s *Source, sources []Source, errs []error) error {
	text := fmt.Sprint(s.raw)
	for i, to := range sources {
		if errs[i] != nil && to.Ref != "" && s.Plugin == nil && strings.Contains(text, "$"+to.Ref+"/") {
			return errs[i]
		}
	}
	return nil
}

// about adds the application to each of an error's errors that names no object: it is what is wrong with an input.
func (a *Application) about(err error) error {
	if all := diag.Unjoin(err); len(all) > 1 {
		for i, one := range all {
			all[i] = a.about(one)
		}
		return errors.Join(all...)
	}
	err = argocd.AsInput(err)
	var known *diag.Error
	switch {
	case !errors.As(err, &known):
		pos, _ := a.PlaceOf(err.Error())
		return &diag.Error{Exit: diag.ExitInput, Object: a.String(), Pos: pos, Err: err}
	case known.Object != "":
		return err
	case known.Pos == (diag.Position{}):
		pos, _ := a.PlaceOf(known.Err.Error())
		return &diag.Error{Exit: known.Exit, Object: a.String(), Pos: pos, Err: known.Err, Hint: known.Hint}
	case known.Pos.Line == 0: // of a file that is not there, for example
		if pos, isWritten := a.PlaceOf(err.Error()); isWritten {
			return &diag.Error{Exit: known.Exit, Object: a.String(), Pos: pos, Err: err, Hint: diag.HintOf(err)}
		}
	}
	return &diag.Error{Exit: known.Exit, Object: a.String(), Err: err, Hint: diag.HintOf(err)}
}

// checkout returns the files of a source.
func (in *Instance) checkout(ctx context.Context, s *Source) (*workspace.Checkout, error) {
	if s.Chart != "" {
		return in.Repositories.FindChart(ctx, workspace.Chart{Repository: s.RepoURL, Name: s.Chart,
			Version: s.TargetRevision})
	}
	if rest, ok := strings.CutPrefix(s.RepoURL, "oci://"); ok {
		cut := strings.LastIndexByte(rest, '/')
		return in.Repositories.FindChart(ctx, workspace.Chart{Repository: "oci://" + rest[:max(cut, 0)],
			Name: rest[cut+1:], Version: s.TargetRevision})
	}
	return in.Repositories.FindRevision(ctx, s.RepoURL, workspace.Revision{Name: s.TargetRevision,
		TagPrefix: s.TagPrefix})
}

// part builds a Part.
type part struct {
	a    *Application
	in   *Instance
	s    *Source
	tree *workspace.Checkout
	refs map[string]*workspace.Checkout
}

func (p part) make() (Part, error) {
	system, err := p.files()
	if err != nil {
		return Part{}, err
	}
	if path.IsAbs(p.s.Path) {
		return Part{}, diag.Input(diag.Position{}, fmt.Errorf("%s: app path is absolute", p.s.Path),
			"A path begins at the top of the repository, without a slash.")
	}
	dir, err := p.tree.Folder(p.s.Path)
	if err != nil {
		return Part{}, err
	}
	instance := p.a.instance(p.in.Namespace)
	raw := p.s.raw
	if p.a.Spec.Hydrator == nil { // of whose source the controller takes nothing out
		raw = p.s.normal()
	}
	raw, err = argocd.Patch(system, p.tree.Root, dir, instance, raw)
	if err != nil {
		return Part{}, err
	}
	var source Source
	if err := typed.Decode(raw, &source); err != nil {
		return Part{}, fmt.Errorf("source: %w", err)
	}
	if source.Plugin != nil {
		call, err := p.plugin(&source, dir)
		return Part{Call: call, Plugin: true}, err
	}
	call := &argocd.Call{Source: source.Source, Build: argocd.Build{
		AppName: instance, Namespace: p.a.Spec.Destination.Namespace, Project: p.a.Spec.Project,
		Revision: p.tree.Revision,
		RepoURL:  source.RepoURL, Path: source.Path, TargetRevision: source.TargetRevision,
		Dir: dir, Root: p.tree.Root, Files: system, Refs: map[string]string{}, Native: true,
	}}
	for name, tree := range p.refs {
		call.Refs[name] = tree.Root
	}
	call.Kind, _, _, err = call.Build.Request(source.Source)
	return Part{Call: call}, err
}

// files returns a system with the trees of the source and of those that it refers to.
func (p part) files() (files.System, error) {
	all := []*workspace.Checkout{p.tree}
	for _, name := range slices.Sorted(maps.Keys(p.refs)) {
		tree := p.refs[name]
		for _, other := range all {
			if tree.Root == other.Root && tree.Revision != other.Revision {
				return nil, fmt.Errorf("cannot reference a different revision of the same repository ($%s "+
					"references %q which resolves to %q while the application references %q)",
					name, redact.URL(tree.URL), tree.Revision, other.Revision)
			}
		}
		all = append(all, tree)
	}
	return workspace.Join(all...), nil
}

// instance returns Argo CD's name of the application.
func (a *Application) instance(home string) string {
	if a.Namespace == "" || a.Namespace == home {
		return a.Name
	}
	return a.Namespace + "_" + a.Name
}

// plugin returns the call of a source that rollstamp renders as a plugin. Of the application's other sources Argo CD
// sends it nothing, so that its files are those of the source only.
func (p part) plugin(s *Source, dir string) (*argocd.Call, error) {
	if s.Helm != nil || s.Kustomize != nil || s.Directory != nil {
		return nil, errors.New("multiple application sources defined: the source has a plugin and native options")
	}
	if !p.ours(s.Plugin.Name) {
		return nil, diag.Input(diag.Position{},
			fmt.Errorf("its source is rendered by the plugin %q, which is not rollstamp", s.Plugin.Name),
			"If it is, under another name, pass --plugin NAME.")
	}
	env, err := p.env(s)
	if err != nil {
		return nil, err
	}
	call, err := argocd.FromPlugin(env, dir, p.tree.Root, workspace.Join(p.tree))
	if err != nil {
		return nil, err
	}
	call.Written = true
	call.TakeTrees(p.in.Repositories)
	return call, nil
}

// ours reports whether a plugin's name is rollstamp's, possibly followed by a version.
func (p part) ours(name string) bool {
	return slices.ContainsFunc(p.in.Plugins, func(own string) bool { return argocd.IsPlugin(name, own) })
}

// CountSources returns how many sources are rendered, of which some by a plugin that is rollstamp.
func (a *Application) CountSources(in *Instance) (all, ours int) {
	for _, s := range a.sources() {
		if s.Path == "" && s.Chart == "" {
			continue
		}
		all++
		if s.Plugin != nil && (part{in: in}).ours(s.Plugin.Name) {
			ours++
		}
	}
	return all, ours
}

// env returns the variables that Argo CD would pass to the plugin.
func (p part) env(s *Source) (argocd.Env, error) {
	rev := p.tree.Revision
	env := argocd.Env{
		"ARGOCD_APP_NAME": p.a.instance(p.in.Namespace), "ARGOCD_APP_NAMESPACE": p.a.Spec.Destination.Namespace,
		"ARGOCD_APP_PROJECT_NAME": p.a.Spec.Project, "ARGOCD_APP_REVISION": rev,
		"ARGOCD_APP_REVISION_SHORT": rev[:min(7, len(rev))], "ARGOCD_APP_REVISION_SHORT_8": rev[:min(8, len(rev))],
		"ARGOCD_APP_SOURCE_REPO_URL": s.RepoURL, "ARGOCD_APP_SOURCE_PATH": s.Path,
		"ARGOCD_APP_SOURCE_TARGET_REVISION": s.TargetRevision,
	}
	standard := maps.Clone(env)
	for _, e := range s.Plugin.Env {
		env[config.PluginEnvPrefix+e.Name] = os.Expand(e.Value, func(name string) string {
			if name == "$" {
				return name
			}
			return standard[name]
		})
	}
	if len(s.Plugin.Parameters) > 0 {
		var list []json.RawMessage
		if err := json.Unmarshal(s.Plugin.Parameters, &list); err != nil {
			return nil, errors.New("source.plugin.parameters is not a list")
		}
		env["ARGOCD_APP_PARAMETERS"] = string(s.Plugin.Parameters)
	}
	return env, nil
}
