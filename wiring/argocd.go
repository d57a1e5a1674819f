package wiring

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// asArgoCD returns the request of an application that is rendered by its path with the options that its configuration
// file has for Argo CD: what is locked, compared and checked is what Argo CD applies. What the user sets by a flag is
// added, and counts before it.
func (w *Wiring) asArgoCD(
	s *config.Settings, o app.Options, request render.Request,
) (render.Kind, render.Request, []diag.Finding, error) {
	if info, err := files.OrDisk(request.Files).Stat(request.Path); err != nil || !info.IsDir() {
		return o.Kind, request, nil, nil
	}
	place := s.Place()
	call, err := argocd.FromPlugin(argocd.Env{}, place.Dir, place.Root, place.Files)
	if err != nil {
		return o.Kind, request, nil, err
	}
	if !optionsFor(s.ArgoCD(), call.Kind) || o.Kind != render.KindAuto && o.Kind != call.Kind {
		return o.Kind, request, nil, nil
	}
	s = call.Reconcile(s)
	job, err := plugin.Prepare(call, plugin.Environment{Engines: w.Engines(s), Settings: s}, plugin.Operator{
		Timeout: cmp.Or(o.Timeout, plugin.NoLimit), LoadRestrictor: o.Kustomize.LoadRestrictor,
		RegistryConfig: w.RegistryConfig(),
	})
	if err != nil {
		return o.Kind, request, nil, err
	}
	return call.Kind, combine(request, job.App.Request()), unsetVariables(s), nil
}

// variable matches what Argo CD sets for a render, and nothing here.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?(ARGOCD_[A-Z0-9_]+)`) })

// unsetVariables reports the variables that options for Argo CD name: they are empty in a render by a path.
func unsetVariables(s *config.Settings) []diag.Finding {
	text, err := json.Marshal(s.ArgoCD())
	if err != nil {
		return nil
	}
	var names []string
	for _, match := range variable().FindAllSubmatch(text, -1) {
		names = append(names, "$"+string(match[1]))
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	pos, _ := s.Where("argocd")
	pos.File = files.FromHere(pos.File)
	message := "argocd: names " + strings.Join(slices.Compact(names), ", ") +
		", which only Argo CD sets: empty in this render"
	f := diag.New(diag.SourceEnvironment, "", message).At(pos)
	f.Hint = "Render the Application that leads here, with --as argocd."
	return []diag.Finding{f}
}

// optionsFor reports whether options for Argo CD are for a kind of source.
func optionsFor(o config.ArgoCD, kind render.Kind) bool {
	switch kind {
	case render.KindHelm:
		return o.Helm != nil
	case render.KindKustomize:
		return o.Kustomize != nil
	}
	return o.Directory != nil
}

// combine returns the request of a path with the options of the plugin's request.
func combine(path, plugin render.Request) render.Request {
	out := path
	out.Namespace = cmp.Or(path.Namespace, plugin.Namespace)
	out.Helm, out.Kustomize = path.Helm.Over(plugin.Helm), path.Kustomize.Over(plugin.Kustomize)
	out.Plain.Directory, out.Probed = plugin.Plain.Directory, plugin.Probed
	return out
}
