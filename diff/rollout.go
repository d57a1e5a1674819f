package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// rolloutOf returns how a workload goes over to a changed template, in the way of its kind.
func (a applier) rolloutOf(table map[string]any, way refs.Rollout) Rollout {
	spec := at(table, "spec")
	r := a.rolloutBy(way, table, spec)
	if n, ok := spec["replicas"].(float64); ok && n == 0 && r.Replaces() {
		return Rollout{Effect: Nothing, Detail: "it has no replicas"}
	}
	return r
}

// scaled returns the same for a workload that has no pods before the change, or none after it.
func (r Rollout) scaled(wasIdle, isIdle bool) Rollout {
	switch {
	case wasIdle && !isIdle && r.Replaces():
		return Rollout{Effect: NoneToStay, Detail: "it had no replicas: its first pods start"}
	case isIdle && wasIdle && r.Effect == Nothing:
		return Rollout{Effect: NoneToStay, Detail: r.Detail}
	case isIdle && !wasIdle && r.Effect == Nothing:
		return Rollout{Effect: NoneToStay, Detail: "it has no replicas any more: its pods end"}
	}
	return r
}

func (a applier) rolloutBy(way refs.Rollout, table, spec map[string]any) Rollout {
	switch way {
	case refs.ByStrategy, refs.BySteps, refs.ByStrategyParams:
		if spec["paused"] == true {
			return Rollout{Effect: Paused}
		}
		return byStrategy(way, at(spec, "strategy"))
	case refs.ByUpdateStrategy, refs.ByPartition:
		return byUpdateStrategy(way, spec)
	case refs.ByOperator:
		if spec["paused"] == true {
			return Rollout{Effect: Paused}
		}
		return Rollout{Effect: Rolling, Detail: "by its operator"}
	case refs.ByRevision:
		return Rollout{Effect: Revision}
	case refs.ByNextRun:
		return Rollout{Effect: NextRun}
	case refs.ByReplacement:
		return a.job(table)
	case refs.ByDeletion:
		if hook, ok := a.hookOf(table); ok {
			return hook
		}
		return Rollout{Effect: Rejected, Detail: "a Pod is replaced by deleting it"}
	}
	return Rollout{Effect: Nothing}
}

// suspend has restarts wait until their application is resumed, but for what the API server will refuse.
func suspend(all []Restart) {
	for i := range all {
		if all[i].Rollout.Effect != Rejected {
			all[i].Rollout = Rollout{Effect: Suspended}
		}
	}
}

func byStrategy(way refs.Rollout, strategy map[string]any) Rollout {
	recreate := strategy["type"] == "Recreate"
	switch {
	case way == refs.BySteps:
		return bySteps(strategy)
	case way == refs.ByStrategyParams && recreate:
		return Rollout{Effect: AllAtOnce}
	case way == refs.ByStrategyParams:
		return Rollout{Effect: Rolling, Detail: limits(at(strategy, "rollingParams"))}
	case recreate:
		return Rollout{Effect: AllAtOnce, Detail: "strategy Recreate"}
	}
	return Rollout{Effect: Rolling, Detail: limits(at(strategy, "rollingUpdate"))}
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

func byUpdateStrategy(way refs.Rollout, spec map[string]any) Rollout {
	strategy := at(spec, "updateStrategy")
	if strategy["type"] == "OnDelete" {
		return Rollout{Effect: OnDelete}
	}
	rolling := at(strategy, "rollingUpdate")
	detail := limits(rolling)
	partition, ok := rolling["partition"]
	if !ok || way != refs.ByPartition || number(partition) == "0" {
		return Rollout{Effect: Rolling, Detail: detail}
	}
	text := "partition " + number(partition)
	if isAbove(spec, partition) {
		return Rollout{Effect: Nothing, Detail: text + " leaves out all pods"}
	}
	detail = strings.TrimSuffix(text+": pods below "+number(partition)+" stay, "+detail, ", ")
	return Rollout{Effect: Rolling, Detail: detail}
}

// isAbove reports whether a partition is above the ordinals of all pods, as far as the manifest has their number.
func isAbove(spec map[string]any, partition any) bool {
	n, isNumber := partition.(float64)
	replicas, isKnown := spec["replicas"].(float64)
	first, _ := at(spec, "ordinals")["start"].(float64)
	return isNumber && isKnown && n >= first+replicas
}

// job distinguishes a hook, which runs with each sync or upgrade, from a Job whose template cannot change.
func (a applier) job(table map[string]any) Rollout {
	if hook, ok := a.hookOf(table); ok {
		return hook
	}
	if by := a.replaces(table); by != "" {
		return Rollout{Effect: Rerun, Detail: by + " replaces it"}
	}
	if ttl, ok := at(table, "spec")["ttlSecondsAfterFinished"]; ok {
		return Rollout{Effect: Rerun, Detail: "it is removed " + number(ttl) +
			" s after it has finished; until then the change is refused"}
	}
	return Rollout{Effect: Rejected, Detail: "the template of a Job is immutable"}
}

// ran are the hooks of Helm that an install or upgrade runs; the others, tests and what goes with a rollback or a
// deletion, no sync runs.
var ran = map[string]bool{"pre-install": true, "post-install": true, "pre-upgrade": true, "post-upgrade": true,
	"crd-install": true}

// hookOf returns the rollout of what runs with a release or a sync.
func hookOf(table map[string]any) (Rollout, bool) {
	notes := at(table, "metadata", "annotations")
	if v, ok := notes["helm.sh/hook"]; ok {
		detail := fmt.Sprint("hook ", v)
		for hook := range strings.SplitSeq(fmt.Sprint(v), ",") {
			if ran[strings.TrimSpace(hook)] {
				return Rollout{Effect: Rerun, Detail: detail}, true
			}
		}
		return Rollout{Effect: Nothing, Detail: detail + ": neither a sync nor an upgrade runs it"}, true
	}
	if v, ok := notes["argocd.argoproj.io/hook"]; ok {
		return Rollout{Effect: Rerun, Detail: fmt.Sprint("hook ", v, ", at each sync")}, true
	}
	return Rollout{}, false
}

// upgradeHookOf returns the rollout of a hook in a release that Helm upgrades.
func upgradeHookOf(table map[string]any) (Rollout, bool) {
	v, ok := at(table, "metadata", "annotations")["helm.sh/hook"]
	if !ok {
		return Rollout{}, false
	}
	detail := fmt.Sprint("hook ", v)
	for event := range strings.SplitSeq(fmt.Sprint(v), ",") {
		if event = strings.TrimSpace(event); event == "pre-upgrade" || event == "post-upgrade" {
			return Rollout{Effect: Rerun, Detail: detail + ", at each upgrade"}, true
		}
	}
	return Rollout{Effect: Nothing, Detail: detail + ": no upgrade runs it"}, true
}

func number(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
