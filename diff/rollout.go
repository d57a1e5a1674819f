package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// Effect is what a changed pod template leads to.
type Effect string

// The effects. The first three replace pods by themselves.
const (
	Rolling     Effect = "rolling"      // pods are replaced step by step
	AllAtOnce   Effect = "all-at-once"  // all pods stop before new ones start
	Progressive Effect = "progressive"  // in the steps of a Rollout: canary or blue-green
	Revision    Effect = "new-revision" // a new revision takes over
	Paused      Effect = "paused"       // nothing happens until the workload is resumed
	OnDelete    Effect = "on-delete"    // a pod is replaced when it is deleted
	NextRun     Effect = "next-run"     // what runs goes on; the next run is made of the new template
	Rerun       Effect = "rerun"        // a hook: it runs at each sync
	Rejected    Effect = "rejected"     // the field is immutable: the API server refuses the change
	Nothing     Effect = "nothing"      // running pods stay as they are
)

// Rollout reports how a workload goes over to its new pod template.
type Rollout struct {
	Effect Effect `json:"effect"`
	// Detail is more of it in words: "maxUnavailable 25%, maxSurge 25%", "partition 2: pods 0 and 1 stay".
	Detail string `json:"detail,omitempty"`
}

// Replaces reports whether running pods are replaced without any further action.
func (r Rollout) Replaces() bool {
	switch r.Effect {
	case Rolling, AllAtOnce, Progressive, Revision:
		return true
	}
	return false
}

// rolloutOf returns how a workload goes over to a changed template, in the way of its kind.
func rolloutOf(o *object, way refs.Rollout) Rollout {
	table, err := o.values()
	if err != nil {
		return Rollout{Effect: Rolling}
	}
	spec := at(table, []string{"spec"})
	r := rolloutBy(way, o, spec)
	if n, ok := spec["replicas"].(float64); ok && n == 0 && r.Replaces() {
		r.Detail = strings.TrimPrefix(r.Detail+", no replicas: nothing runs", ", ")
	}
	return r
}

func rolloutBy(way refs.Rollout, o *object, spec map[string]any) Rollout {
	switch way {
	case refs.ByStrategy, refs.BySteps, refs.ByStrategyParams:
		if spec["paused"] == true {
			return Rollout{Effect: Paused}
		}
		return byStrategy(way, at(spec, []string{"strategy"}))
	case refs.ByUpdateStrategy, refs.ByPartition:
		return byUpdateStrategy(way, at(spec, []string{"updateStrategy"}))
	case refs.ByRevision:
		return Rollout{Effect: Revision}
	case refs.ByNextRun:
		return Rollout{Effect: NextRun}
	case refs.ByReplacement:
		return job(o)
	case refs.ByDeletion:
		if hook, ok := hookOf(o); ok {
			return hook
		}
		return Rollout{Effect: Rejected, Detail: "a Pod is replaced by deleting it"}
	}
	return Rollout{Effect: Nothing}
}

func byStrategy(way refs.Rollout, strategy map[string]any) Rollout {
	recreate := strategy["type"] == "Recreate"
	switch {
	case way == refs.BySteps:
		return bySteps(strategy)
	case way == refs.ByStrategyParams && recreate:
		return Rollout{Effect: AllAtOnce}
	case way == refs.ByStrategyParams:
		return Rollout{Effect: Rolling, Detail: limits(at(strategy, []string{"rollingParams"}))}
	case recreate:
		return Rollout{Effect: AllAtOnce, Detail: "strategy Recreate"}
	}
	return Rollout{Effect: Rolling, Detail: limits(at(strategy, []string{"rollingUpdate"}))}
}

func bySteps(strategy map[string]any) Rollout {
	for _, steps := range []struct{ field, name string }{{"canary", "canary"}, {"blueGreen", "blue-green"}} {
		if _, ok := strategy[steps.field]; ok {
			return Rollout{Effect: Progressive, Detail: steps.name}
		}
	}
	return Rollout{Effect: Progressive}
}

// limits describes the bounds of a rolling update that are set.
func limits(rolling map[string]any) string {
	var parts []string
	for _, field := range []string{"maxUnavailable", "maxSurge"} {
		if v, ok := rolling[field]; ok {
			parts = append(parts, field+" "+number(v))
		}
	}
	return strings.Join(parts, ", ")
}

func byUpdateStrategy(way refs.Rollout, strategy map[string]any) Rollout {
	if strategy["type"] == "OnDelete" {
		return Rollout{Effect: OnDelete}
	}
	rolling := at(strategy, []string{"rollingUpdate"})
	detail := limits(rolling)
	if v, ok := rolling["partition"]; ok && way == refs.ByPartition {
		if n := number(v); n != "0" {
			detail = strings.TrimSuffix("partition "+n+": pods below "+n+" stay, "+detail, ", ")
		}
	}
	return Rollout{Effect: Rolling, Detail: detail}
}

// job distinguishes a hook, which runs again at each sync, from a Job whose template cannot change.
func job(o *object) Rollout {
	if hook, ok := hookOf(o); ok {
		return hook
	}
	notes := notesOf(o)
	if options, _ := notes["argocd.argoproj.io/sync-options"].(string); strings.Contains(options, "Replace=true") &&
		strings.Contains(options, "Force=true") {
		return Rollout{Effect: Rerun, Detail: "Argo CD replaces it"}
	}
	if notes["kustomize.toolkit.fluxcd.io/force"] == "enabled" {
		return Rollout{Effect: Rerun, Detail: "Flux replaces it"}
	}
	return Rollout{Effect: Rejected, Detail: "the template of a Job is immutable"}
}

// hookOf returns the rollout of what runs again with a release or a sync.
func hookOf(o *object) (Rollout, bool) {
	notes := notesOf(o)
	for _, hook := range []string{"helm.sh/hook", "argocd.argoproj.io/hook"} {
		if v, ok := notes[hook]; ok {
			return Rollout{Effect: Rerun, Detail: fmt.Sprint("hook ", v)}, true
		}
	}
	return Rollout{}, false
}

func notesOf(o *object) map[string]any {
	table, err := o.values()
	if err != nil {
		return nil
	}
	return at(table, []string{"metadata", "annotations"})
}

func number(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
