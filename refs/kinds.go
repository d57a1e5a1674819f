package refs

import (
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
)

// Stamping reports whether workloads of a kind are stamped when neither the workload nor the configuration sets a mode.
type Stamping uint8

const (
	// ByDefault: a changed template makes a rollout.
	ByDefault Stamping = iota
	// OnRequest: the template is immutable, replaces no pod, or starts afresh anyway.
	OnRequest
	// WhenFollowed: as OnRequest, but stamped where another workload takes its template from this one (Kind.Follows).
	WhenFollowed
)

// Rollout names the way in which the pods of a kind go over to a changed template.
type Rollout uint8

const (
	// NoRollout: running pods stay as they are.
	NoRollout Rollout = iota
	// ByStrategy is a Deployment's: spec.strategy is RollingUpdate or Recreate, and spec.paused holds it back.
	ByStrategy
	// BySteps is an Argo Rollout's: spec.strategy is canary or blueGreen, and spec.paused holds it back.
	BySteps
	// ByStrategyParams is a DeploymentConfig's: as ByStrategy, with the limits in spec.strategy.rollingParams.
	ByStrategyParams
	// ByUpdateStrategy is a DaemonSet's: spec.updateStrategy is RollingUpdate or OnDelete.
	ByUpdateStrategy
	// ByPartition is a StatefulSet's: as ByUpdateStrategy, and pods below rollingUpdate.partition stay.
	ByPartition
	// ByRevision: a new revision takes over.
	ByRevision
	// ByNextRun: what runs goes on, and the next run has the new template.
	ByNextRun
	// ByReplacement: the template of a Job is immutable; a hook, or a Job that the engine replaces, runs again.
	ByReplacement
	// ByDeletion is a bare Pod's: as ByReplacement, and only hooks are replaced.
	ByDeletion
	// ByOperator: the operator of the kind replaces the pods, in its way.
	ByOperator
)

// ReplacesPods reports whether a changed template replaces running pods, if nothing in the object prevents that.
func (r Rollout) ReplacesPods() bool {
	switch r {
	case NoRollout, ByNextRun, ByReplacement, ByDeletion:
		return false
	}
	return true
}

// Fixed names what the API server takes no change of.
type Fixed uint8

const (
	// NothingFixed: any change is taken, or nobody has looked.
	NothingFixed Fixed = iota
	// FixedSelector: the selector stays, and matches the template's labels.
	FixedSelector
	// FixedSpec is a StatefulSet's: as FixedSelector, and so do the service, the claims and the order of the pods.
	FixedSpec
)

// Kind is a row of the table of workloads: where a kind holds its pod template, and what a change of it leads to.
type Kind struct {
	Groups      []string // API groups, "" for the core one
	Kind        string
	Template    []string // from the object to the pod template; empty: the object itself
	PodSpec     []string // from the template to the pod spec
	Annotations []string // from the template to the annotations that are stamped
	Follows     []string // to a reference to the workload whose template counts where the object has none; nil: it has one
	Stamping    Stamping
	Rollout     Rollout
	fixed       Fixed // in the API group apps
	Replicas    bool  // kustomize's replicas field sets spec.replicas
	Level       int   // the level of coverage that added the row
	// rule is set where a rule describes the kind: the paths are its, and Template, PodSpec and Annotations are empty.
	rule func() *config.KindRule
}

// PodSpecPath returns the path from the object to its pod spec.
func (k *Kind) PodSpecPath() []string { return slices.Concat(k.Template, k.PodSpec) }

// Described returns the way to the annotations of a kind that a rule describes, nil for any other kind. Its other paths
// are the rule's own.
func (k *Kind) Described() []config.Step {
	if k.rule == nil {
		return nil
	}
	return k.rule().Annotations.Steps()
}

// FixedFields returns what of an object of the kind, in one of its API groups, cannot be changed.
func (k *Kind) FixedFields(group string) Fixed {
	if group != apps {
		return NothingFixed
	}
	return k.fixed
}

// ServedGroups returns the API groups in which clusters have objects of the kind: since Kubernetes 1.16 that is none of
// the group extensions, which manifests may still name.
func (k *Kind) ServedGroups() []string {
	return slices.DeleteFunc(slices.Clone(k.Groups), func(group string) bool { return group == extensions })
}

// API groups of several kinds.
const (
	apps       = "apps"
	extensions = "extensions"
	batch      = "batch"
	kruise     = "apps.kruise.io"
	knative    = "serving.knative.dev"
	core       = ""
)

var (
	template    = []string{"spec", "template"}
	podSpec     = []string{"spec"}
	annotations = []string{"metadata", "annotations"}
)

// builtin returns a row of level 1 for a kind whose template holds spec and metadata at the usual places.
func builtin(k Kind, groups ...string) Kind {
	k.Groups, k.PodSpec, k.Annotations, k.Level = groups, podSpec, annotations, 1
	return k
}

// Kinds returns the rows of all levels, without those that a configuration adds.
func Kinds() []Kind { return slices.Clone(builtinKinds()) }

// builtinKinds returns the workloads that are known without a rule. It is the one list of kinds: whatever depends on a
// workload's kind is a column here.
var builtinKinds = sync.OnceValue(func() []Kind { return slices.Concat(controllerKinds, operatorKinds()) })

// controllerKinds are workloads of controllers that take a pod template as it is.
var controllerKinds = []Kind{
	builtin(Kind{Kind: "Deployment", Template: template, Rollout: ByStrategy, fixed: FixedSelector, Replicas: true},
		apps, extensions),
	builtin(Kind{Kind: "StatefulSet", Template: template, Rollout: ByPartition, fixed: FixedSpec, Replicas: true},
		apps, kruise),
	builtin(Kind{Kind: "DaemonSet", Template: template, Rollout: ByUpdateStrategy, fixed: FixedSelector},
		apps, extensions, kruise),
	builtin(Kind{Kind: "ReplicaSet", Template: template, Stamping: WhenFollowed, fixed: FixedSelector, Replicas: true},
		apps, extensions),
	builtin(Kind{Kind: "ReplicationController", Template: template, Stamping: OnRequest, Replicas: true}, core),
	builtin(Kind{Kind: "Job", Template: template, Stamping: OnRequest, Rollout: ByReplacement}, batch),
	builtin(Kind{Kind: "CronJob", Template: []string{"spec", "jobTemplate", "spec", "template"},
		Stamping: OnRequest, Rollout: ByNextRun}, batch),
	builtin(Kind{Kind: "Pod", Stamping: OnRequest, Rollout: ByDeletion}, core),
	builtin(Kind{Kind: "PodTemplate", Template: []string{"template"}, Stamping: WhenFollowed}, core),
	builtin(Kind{Kind: "Rollout", Template: template, Rollout: BySteps, Follows: []string{"spec", "workloadRef"}},
		"argoproj.io"),
	builtin(Kind{Kind: "DeploymentConfig", Template: template, Rollout: ByStrategyParams}, "apps.openshift.io", core),
	builtin(Kind{Kind: "Service", Template: template, Rollout: ByRevision}, knative),
	builtin(Kind{Kind: "Configuration", Template: template, Rollout: ByRevision}, knative),
	builtin(Kind{Kind: "Revision", Stamping: OnRequest}, knative),
	builtin(Kind{Kind: "CloneSet", Template: template, Rollout: ByPartition}, kruise),
	builtin(Kind{Kind: "BroadcastJob", Template: template, Stamping: OnRequest, Rollout: ByReplacement}, kruise),
	cronJobOfKruise("jobTemplate"),
	cronJobOfKruise("broadcastJobTemplate"),
	builtin(Kind{Kind: "SidecarSet", Stamping: OnRequest}, kruise),
	unitedDeployment("statefulSetTemplate"),
	unitedDeployment("advancedStatefulSetTemplate"),
	unitedDeployment("cloneSetTemplate"),
	unitedDeployment("deploymentTemplate"),
}

// cronJobOfKruise returns the row for one of the fields in which an AdvancedCronJob may hold its template.
func cronJobOfKruise(field string) Kind {
	at := []string{"spec", "template", field, "spec", "template"}
	return builtin(Kind{Kind: "AdvancedCronJob", Template: at, Stamping: OnRequest, Rollout: ByNextRun}, kruise)
}

// unitedDeployment returns the row for one of the fields in which a UnitedDeployment may hold its template.
func unitedDeployment(field string) Kind {
	at := []string{"spec", "template", field, "spec", "template"}
	return builtin(Kind{Kind: "UnitedDeployment", Template: at, Rollout: ByPartition}, kruise)
}
