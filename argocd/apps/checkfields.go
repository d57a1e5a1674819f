package apps

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
)

// FieldProblem is why Argo CD, or the API server, refuses an Application for one of its fields.
type FieldProblem struct {
	Path []any // of the field, or of what it is missing in
	Err  error
	// Elsewhere: another file that this one is put together with may have what is missing.
	Elsewhere bool
}

// CheckFields returns why an Application is refused, but for its sources. None of it changes what is rendered, and a
// patch may still mend it, so that a render goes on.
func (a *Application) CheckFields() []FieldProblem {
	var found []FieldProblem
	add := func(elsewhere bool, err error, path ...any) {
		found = append(found, FieldProblem{Path: path, Err: err, Elsewhere: elsewhere})
	}
	switch isTag := strings.Contains(a.Name, "{{"); {
	case len(validation.IsDNS1123Subdomain(a.Name)) == 0:
	case isTag && a.Set == "":
		add(false, diag.Input(diag.Position{}, fmt.Errorf("the name %q is not filled in: this is no ApplicationSet", a.Name),
			"Write a name, or make it the template of an ApplicationSet."), "metadata", "name")
	case isTag:
		add(false, diag.Input(diag.Position{}, fmt.Errorf(
			"a name is not filled in: %q, which the API server refuses", a.Name),
			"Name a parameter that the generators have."), "metadata", "name")
	default:
		add(false, diag.Input(diag.Position{}, fmt.Errorf("the API server refuses the name %q", a.Name),
			argocd.NameHint), "metadata", "name")
	}
	spec, _ := a.object["spec"].(map[string]any)
	isPart := spec["project"] == nil // of what a kustomization puts together
	if to := a.Spec.Destination; spec["destination"] == nil && !isPart {
		add(true, errors.New("it has no destination, which the API server refuses"), "spec")
	} else if !isPart && to.Name == "" && to.Server == "" {
		add(true, errors.New("its destination has neither a server nor a name, which Argo CD refuses"), "spec", "destination")
	}
	if err := a.checkDestination(); err != nil {
		add(false, err, "spec", "destination")
	}
	a.checkHydrator(add)
	a.checkFilled(add)
	return found
}

// checkDestination returns why Argo CD goes to none of the clusters that a destination names; nil where it names one at
// most.
func (a *Application) checkDestination() error {
	if to := a.Spec.Destination; to.Name == "" || to.Server == "" {
		return nil
	}
	return diag.Input(diag.Position{}, errors.New("its destination has a name and a server, and Argo CD takes one of them"),
		"Keep one of them.")
}

// checkHydrator checks what Argo CD needs to push what it renders.
func (a *Application) checkHydrator(add func(elsewhere bool, err error, path ...any)) {
	h := a.Spec.Hydrator
	if h == nil {
		return
	}
	at := []any{"spec", "sourceHydrator"}
	if h.Sync.TargetBranch == "" {
		add(false, errors.New("syncSource of sourceHydrator has no targetBranch"), append(at, "syncSource")...)
	}
	if h.Sync.Path == "" || h.Sync.Path == "." || h.Sync.Path == "/" {
		add(false, diag.Input(diag.Position{}, errors.New("syncSource of sourceHydrator has no path below the branch's top"),
			"Name a folder of the branch there: Argo CD writes no render to the top."), append(at, "syncSource")...)
	}
	if h.To != nil && h.To.TargetBranch == "" {
		add(false, errors.New("hydrateTo of sourceHydrator has no targetBranch"), append(at, "hydrateTo")...)
	}
	for _, field := range []struct{ name, value string }{
		{"path", h.Dry.Path}, {"targetRevision", h.Dry.TargetRevision},
	} {
		if field.value == "" {
			add(false, fmt.Errorf("drySource of sourceHydrator has no %s", field.name), append(at, "drySource")...)
		}
	}
}

// checkFilled reports parameters of a template that stand where Argo CD looks for an address or a name.
func (a *Application) checkFilled(add func(elsewhere bool, err error, path ...any)) {
	check := func(value string, path ...any) {
		for _, mark := range []string{"{{", "<no value>"} {
			if strings.Contains(value, mark) {
				add(true, diag.Input(diag.Position{}, fmt.Errorf("%v is not filled in: %q", path[len(path)-1], value),
					"Name a parameter that the generators of an ApplicationSet have."), path...)
			}
		}
	}
	to := a.Spec.Destination
	check(to.Server, "spec", "destination", "server")
	check(to.Name, "spec", "destination", "name")
	check(to.Namespace, "spec", "destination", "namespace")
	check(a.Spec.Project, "spec", "project")
	for i, s := range a.sources() {
		at := a.pathOf(i)
		check(s.RepoURL, append(at, "repoURL")...)
		check(s.Path, append(at, "path")...)
		check(s.Chart, append(at, "chart")...)
		check(s.TargetRevision, append(at, "targetRevision")...)
	}
}
