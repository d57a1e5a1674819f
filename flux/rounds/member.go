package rounds

import (
	"context"
	"errors"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/render"
)

// member is a Kustomization or HelmRelease of the run, or why there is none.
type member struct {
	*objects.Meta
	kustomization *objects.Kustomization // one of the two, or neither where only an error is known
	release       *objects.HelmRelease
	parent        *member // in whose render it was found; nil for one in a file
	depth         int

	state   state
	renders int              // how often it was rendered
	app     *app.Application // without what depends on the others of the run
	output  *render.Output
	folder  string   // that it is rendered from; "" where that is not known
	amended []string // files that were read to amend the chart of a release
	inputs  inputs
	isWhole bool     // it is built with all patches, since it cannot be without ours
	read    []string // the files that its render read
	beside  beside
	paused  []values.Ref // what it reads of others that are suspended
	err     error
	// hindrance is a Kustomization that failed and may apply what this one reads, which fails for that.
	hindrance *member
	// unapplied is a Kustomization that failed and is likely to apply this one, which is rendered as it is written
	// where nothing says that the other may change it.
	unapplied *member
	// repeats is the one that has its name in another file, by which it fails.
	repeats *member
	// isUnproven: it fails because what it is in the cluster is not known.
	isUnproven bool
	findings   []diag.Finding
	own        *own // nil until it is looked for
	isTrial    bool // it is built to look for that

	name      string   // among the applications of the run
	after     []string // the names of those that it depends on
	unchanged bool     // since another state of the files
	undrafted string   // the folder of a Kustomization whose values are missing

	valuesRead app.Objects // in the cluster that it is applied to, which members take values from
}

// state is how far a member is.
type state int

const (
	pending state = iota
	done
)

// newMembers returns the members of objects that were found in the render of parent, or in a file.
func newMembers(o *objects.Objects, parent *member) (out []*member) {
	depth := 0
	if parent != nil {
		depth = parent.depth + 1
	}
	for _, k := range o.Kustomizations {
		out = append(out, &member{Meta: &k.Meta, kustomization: k, parent: parent, depth: depth})
	}
	for _, r := range o.Releases {
		out = append(out, &member{Meta: &r.Meta, release: r, parent: parent, depth: depth})
	}
	return out
}

// replace has the member be described by another object of its name, such as the same one after a patch.
func (m *member) replace(by *member) {
	m.Meta, m.kustomization, m.release = by.Meta, by.kustomization, by.release
	m.state, m.findings, m.unchanged, m.own = pending, nil, false, nil
}

// dependsOn returns what has to be ready before.
func (m *member) dependsOn() (out []objects.Meta) {
	var all []objects.Dependency
	if m.kustomization != nil {
		all = m.kustomization.Spec.DependsOn
	} else if m.release != nil {
		all = m.release.Spec.DependsOn
	}
	for _, d := range all {
		to := objects.Meta{Kind: m.Kind, Namespace: d.Namespace, Name: d.Name}
		if to.Namespace == "" {
			to.Namespace = m.Namespace
		}
		out = append(out, to)
	}
	return out
}

// sources returns the source that a member names.
func (m *member) sources() []objects.Reference {
	switch {
	case m.kustomization != nil:
		return []objects.Reference{m.kustomization.Spec.SourceRef.In(m.Namespace)}
	case m.release == nil:
		return nil
	case m.release.Spec.Chart != nil:
		return []objects.Reference{m.release.Spec.Chart.Spec.SourceRef.In(m.Namespace)}
	}
	return []objects.Reference{m.release.Spec.ChartRef.In(m.Namespace)}
}

// sourceField returns the field with the source that a member names, from spec on.
func (m *member) sourceField() []any {
	switch {
	case m.kustomization != nil:
		return []any{"sourceRef"}
	case m.release == nil:
		return nil
	case m.release.Spec.Chart != nil:
		return []any{"chart", "spec", "sourceRef"}
	}
	return []any{"chartRef"}
}

// kubeConfig returns what leads to the cluster that the member is applied to; nil where that is its own.
func (m *member) kubeConfig() *objects.KubeConfig {
	var access *objects.KubeConfig
	if m.kustomization != nil {
		access = m.kustomization.Spec.KubeConfig
	} else if m.release != nil {
		access = m.release.Spec.KubeConfig
	}
	if access == nil || access.SecretRef == nil && access.ConfigMapRef == nil {
		return nil
	}
	return access
}

// home returns the cluster that the object of the member lies in: that of the member it was found in. There it takes
// values from, and depends on others.
func (m *member) home() app.Destination {
	if m.parent != nil {
		return m.parent.destination()
	}
	return app.NewDestination("", app.InClusterName, nil)
}

// destination returns the cluster that the member is applied to.
func (m *member) destination() app.Destination {
	access := m.kubeConfig()
	if access == nil {
		return m.home()
	}
	kind, ref := "Secret", access.SecretRef
	if ref == nil {
		kind, ref = "ConfigMap", access.ConfigMapRef
	}
	name := "the cluster of " + kind + " " + m.Namespace + "/" + ref.Name
	if m.isAway() {
		name += " in " + m.home().String()
	}
	return app.NewDestination("", name, nil)
}

// isAway reports whether the object of the member lies in another cluster than those in files.
func (m *member) isAway() bool { return m.home().Name != app.InClusterName }

// isRemote reports whether the member is applied to another cluster than those in files.
func (m *member) isRemote() bool { return m.destination().Name != app.InClusterName }

// leaves returns why the controller leaves objects in the cluster whose manifests are gone.
func (m *member) leaves() (out app.Leaves) {
	if m.kustomization == nil || m.kustomization.Spec.Prune {
		return out
	}
	const why = "prune is false"
	switch m.kustomization.Spec.DeletionPolicy {
	case "Delete", "WaitForTermination":
		return app.Leaves{Objects: why}
	}
	return app.Leaves{Objects: why, All: why}
}

// replacing returns the option by which Flux replaces what it applies; "" for none.
func (m *member) replacing() string {
	switch {
	case m.kustomization != nil && m.kustomization.Spec.Force:
		return "force"
	case m.release != nil && m.release.Spec.Upgrade != nil && m.release.Spec.Upgrade.Force:
		return "upgrade.force"
	}
	return ""
}

// key returns what distinguishes the object of the member from all others.
func (m *member) key() string { return m.home().String() + " " + keyOf(*m.Meta) }

// namespace returns where objects lie that the member renders without a namespace.
func (m *member) namespace() string {
	target := ""
	if m.kustomization != nil {
		target = m.kustomization.Spec.TargetNamespace
	} else if m.release != nil {
		target = m.release.Spec.TargetNamespace
	}
	if target != "" {
		return target
	}
	return m.Namespace
}

// about adds the object to an error that names none.
func (m *member) about(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var source *sourceError
	if errors.As(err, &source) {
		path := source.path
		if len(path) == 0 {
			path = m.sourceField()
		}
		return m.FailAt(&diag.Shared{Err: source.err}, source.hint, path...)
	}
	var known *diag.Error
	switch {
	case !errors.As(err, &known):
		return m.Fail(err, "")
	case known.Object != "":
		return err
	case known.Pos == (diag.Position{}):
		return &diag.Error{Exit: known.Exit, Object: m.String(), Pos: m.Pos, Err: known.Err, Hint: known.Hint}
	case err.Error() == known.Error():
		return &diag.Error{Exit: known.Exit, Object: m.String(), Pos: known.Pos, Err: known.Err, Hint: known.Hint}
	}
	return err
}

// fail ends the member with an error.
func (m *member) fail(err error) {
	m.state, m.err, m.app, m.output = done, m.Hide(m.about(err)), nil, nil
}

// report adds a finding at the object.
func (m *member) report(code diag.Code, message string) { m.reportAt(m.Pos, code, message) }

// reportAt adds a finding at a place of the object.
func (m *member) reportAt(pos diag.Position, code diag.Code, message string) {
	f := diag.New(code, m.String(), m.Secrets.Values.In(message)).At(pos)
	if !slices.ContainsFunc(m.findings, func(have diag.Finding) bool { return have.Identity() == f.Identity() }) {
		m.findings = append(m.findings, f)
	}
}
