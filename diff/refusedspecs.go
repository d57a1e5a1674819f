package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/refs"
)

// invalidities reports what the API server refuses of an object by itself, however it was before, by path. Rows are
// those of its kind.
func invalidities(o *object, rows []*refs.Kind, table map[string]any) []refusal {
	if !isValidated(o, rows) {
		return nil
	}
	out := invaliditiesOf(rows, at(table, "spec"))
	slices.SortFunc(out, func(a, b refusal) int { return cmp.Compare(a.path, b.path) })
	return out
}

// isValidated reports whether there is an answer for objects of the kind of one.
func isValidated(o *object, rows []*refs.Kind) bool {
	if len(rows) == 0 {
		return o.Group == "" && o.Kind == "Service"
	}
	return o.Group == "apps" || o.Group == "batch"
}

// invaliditiesOf reports what is refused of a spec: without rows, of a Service's.
func invaliditiesOf(rows []*refs.Kind, spec map[string]any) []refusal {
	if len(rows) == 0 {
		return serviceInvalidities(spec)
	}
	always := []corev1.RestartPolicy{"", corev1.RestartPolicyAlways}
	const template = "spec.template"
	switch rows[0].Rollout {
	case refs.ByStrategy:
		if refused := numberRefusals(spec); len(refused) > 0 {
			return refused
		}
		return slices.Concat(deploymentInvalidities(spec), templateRefusals(template, spec, nil, always...))
	case refs.ByReplacement:
		return jobInvalidities("spec", spec)
	case refs.ByNextRun:
		return cronJobInvalidities(spec)
	}
	templates := templateRefusals(template, spec, claimNames(spec), always...)
	return slices.Concat(emptySelector(spec), numberRefusals(spec), templates)
}

// decodeOrRefuse reads a mapping as a type of Kubernetes; where it cannot be, it returns what is refused of it. Values
// are not repeated.
func decodeOrRefuse[T any](path string, table map[string]any) (out T, refused []refusal) {
	text, err := json.Marshal(table)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, []refusal{placeUnread(path, table, reflect.TypeFor[T]())}
	}
	return out, nil
}

// templateRefusals reports what is refused of the pod template of a spec.
func templateRefusals(
	path string, spec map[string]any, claims []string, restarts ...corev1.RestartPolicy,
) []refusal {
	template := at(spec, "template")
	out := metadataRefusals(path+".metadata", at(template, "metadata"))
	return append(out, podRefusals(path+".spec", at(template, "spec"), claims, restarts...)...)
}

// numberRefusals reports fields of a workload's spec that are numbers, and hold something else.
func numberRefusals(spec map[string]any) (out []refusal) {
	for _, field := range []string{"minReadySeconds", "progressDeadlineSeconds", "replicas", "revisionHistoryLimit"} {
		if v := spec[field]; v != nil && !canRead(v, reflect.TypeFor[int32]()) {
			out = append(out, refusal{"spec." + field, "it takes no " + kindOf(v)})
		}
	}
	return out
}

// claimNames returns the names of a StatefulSet's claims.
func claimNames(spec map[string]any) (out []string) {
	claims, _ := spec["volumeClaimTemplates"].([]any)
	for _, one := range claims {
		claim, _ := one.(map[string]any)
		if name, _ := at(claim, "metadata")["name"].(string); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// emptySelector reports a workload that selects no pods.
func emptySelector(spec map[string]any) []refusal {
	selector := at(spec, "selector")
	expressions, _ := selector["matchExpressions"].([]any)
	if len(at(selector, "matchLabels"))+len(expressions) > 0 {
		return nil
	}
	return []refusal{{"spec.selector", "there is none"}}
}

// deploymentInvalidities reports what is refused of a Deployment besides its template.
func deploymentInvalidities(spec map[string]any) []refusal {
	out := emptySelector(spec)
	strategy, unread := decodeOrRefuse[appsv1.DeploymentStrategy]("spec.strategy", at(spec, "strategy"))
	or(&strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	switch rolling := strategy.RollingUpdate; {
	case len(unread) > 0:
		out = append(out, unread...)
	case strategy.Type == appsv1.RecreateDeploymentStrategyType && rolling != nil:
		out = append(out, refusal{"spec.strategy.rollingUpdate", "it cannot be beside type Recreate"})
	case strategy.Type != appsv1.RecreateDeploymentStrategyType &&
		strategy.Type != appsv1.RollingUpdateDeploymentStrategyType:
		out = append(out, refusal{"spec.strategy.type", "it is RollingUpdate or Recreate"})
	case rolling != nil && isNone(rolling.MaxUnavailable) && isNone(rolling.MaxSurge):
		out = append(out, refusal{"spec.strategy.rollingUpdate", "maxUnavailable and maxSurge cannot both be 0"})
	}
	if n, _ := spec["replicas"].(float64); n < 0 {
		out = append(out, refusal{"spec.replicas", "it is negative"})
	}
	return out
}

// isNone reports whether a limit is set, and is none.
func isNone(limit *intstr.IntOrString) bool {
	return limit != nil && strings.TrimSuffix(limit.String(), "%") == "0"
}

// jobInvalidities reports what is refused of the spec of a Job at a path.
func jobInvalidities(path string, table map[string]any) []refusal {
	restarts := []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}
	out := templateRefusals(path+".template", table, nil, restarts...)
	if len(out) > 0 {
		return out
	}
	spec, unread := decodeOrRefuse[batchv1.JobSpec](path, table)
	if len(unread) > 0 {
		return unread
	}
	isIndexed := spec.CompletionMode != nil && *spec.CompletionMode == batchv1.IndexedCompletion
	switch {
	case spec.CompletionMode != nil && !isIndexed && *spec.CompletionMode != batchv1.NonIndexedCompletion:
		out = append(out, refusal{path + ".completionMode", "it is NonIndexed or Indexed"})
	case isIndexed && spec.Completions == nil && spec.Parallelism != nil:
		out = append(out, refusal{path + ".completions", "there is none, and completionMode is Indexed"})
	case !isIndexed && (spec.BackoffLimitPerIndex != nil || spec.MaxFailedIndexes != nil || spec.SuccessPolicy != nil):
		out = append(out, refusal{path + ".completionMode", "it has to be Indexed for what is set of indexes"})
	}
	for field, n := range map[string]*int32{"parallelism": spec.Parallelism, "completions": spec.Completions,
		"backoffLimit": spec.BackoffLimit, "ttlSecondsAfterFinished": spec.TTLSecondsAfterFinished} {
		if n != nil && *n < 0 {
			out = append(out, refusal{path + "." + field, "it is negative"})
		}
	}
	return out
}

// zoneInSchedule is the refusal of a schedule that begins to name its time zone.
var zoneInSchedule = refusal{"spec.schedule", "its time zone goes into spec.timeZone"}

// cronJobInvalidities reports what is refused of a CronJob.
func cronJobInvalidities(spec map[string]any) []refusal {
	out := jobInvalidities("spec.jobTemplate.spec", at(spec, "jobTemplate", "spec"))
	schedule, _ := spec["schedule"].(string)
	switch {
	case strings.Contains(schedule, "TZ"):
		out = append(out, zoneInSchedule)
	case isSchedule(schedule):
	case !strings.HasPrefix(schedule, "@") && len(strings.Fields(schedule)) != 5:
		out = append(out, refusal{"spec.schedule", "it has not five fields"})
	default:
		out = append(out, refusal{"spec.schedule", "it is no time that there can be"})
	}
	switch policy := spec["concurrencyPolicy"]; policy {
	case nil, "", "Allow", "Forbid", "Replace":
	default:
		out = append(out, refusal{"spec.concurrencyPolicy", "it is Allow, Forbid or Replace"})
	}
	return out
}

// serviceInvalidities reports ports that no Service can have.
func serviceInvalidities(table map[string]any) (out []refusal) {
	spec, unread := decodeOrRefuse[corev1.ServiceSpec]("spec", table)
	if len(unread) > 0 {
		return unread
	}
	if len(spec.Ports) == 0 && spec.ClusterIP != corev1.ClusterIPNone && spec.Type != corev1.ServiceTypeExternalName {
		out = append(out, refusal{"spec.ports", "there is none"})
	}
	var names, numbers []string
	for i, port := range spec.Ports {
		at := "spec." + named("ports", port.Name, i)
		or(&port.Protocol, corev1.ProtocolTCP)
		number := fmt.Sprint(port.Protocol, port.Port)
		switch {
		case !isPort(port.Port):
			out = append(out, refusal{at, "a port is a number from 1 to 65535"})
		case !isProtocol(port.Protocol):
			out = append(out, refusal{at + ".protocol", "it is TCP, UDP or SCTP"})
		case port.Name == "" && len(spec.Ports) > 1:
			out = append(out, refusal{at, "it has no name, and is not the only one"})
		case port.Name != "" && slices.Contains(names, port.Name):
			out = append(out, refusal{at, "another port has this name"})
		case port.Name != "" && len(validation.IsDNS1123Label(port.Name)) > 0:
			out = append(out, refusal{at, "no port can have this name"})
		case slices.Contains(numbers, number):
			out = append(out, refusal{at, "another port has this number"})
		}
		names, numbers = append(names, port.Name), append(numbers, number)
	}
	return out
}

// jobRefusals reports what of a Job cannot be changed besides its template.
func jobRefusals(from, to map[string]any) (out []refusal) {
	old, okOld := decodeAs[batchv1.JobSpec](at(from, "spec"))
	now, okNow := decodeAs[batchv1.JobSpec](at(to, "spec"))
	if !okOld || !okNow {
		return nil
	}
	for _, s := range []*batchv1.JobSpec{&old, &now} {
		setDefault(&s.CompletionMode, batchv1.NonIndexedCompletion)
		if s.Completions == nil && s.Parallelism == nil {
			setDefault(&s.Completions, 1)
		}
		setDefault(&s.Parallelism, 1)
	}
	const indexed = batchv1.IndexedCompletion
	isScaled := *now.CompletionMode == indexed && now.Completions != nil && *now.Completions == *now.Parallelism
	for _, f := range []struct {
		path     string
		old, now any
	}{
		{"spec.completionMode", old.CompletionMode, now.CompletionMode},
		{"spec.completions", old.Completions, now.Completions},
		{"spec.backoffLimitPerIndex", old.BackoffLimitPerIndex, now.BackoffLimitPerIndex},
		{"spec.podFailurePolicy", old.PodFailurePolicy, now.PodFailurePolicy},
		{"spec.successPolicy", old.SuccessPolicy, now.SuccessPolicy},
		{"spec.managedBy", old.ManagedBy, now.ManagedBy},
	} {
		if !equality.Semantic.DeepEqual(f.old, f.now) && !(f.path == "spec.completions" && isScaled) {
			out = append(out, refusal{f.path, immutable})
		}
	}
	return out
}
