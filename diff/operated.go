package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// kindsOf are kinds of an API group, or of those that end with it; nil are all kinds of the group.
type kindsOf struct {
	group string
	kinds []string
}

// operated are kinds whose controller runs pods, or replaces the nodes under them, and whose objects need not look so:
// what a change of one restarts is not known from it.
var operated = []kindsOf{
	{"argoproj.io", []string{"ArgoCD"}},
	{"autoscaling.k8s.io", []string{"VerticalPodAutoscaler"}}, // it evicts pods to size them
	{"clickhouse.altinity.com", []string{"ClickHouseInstallation", "ClickHouseInstallationTemplate"}},
	{"cluster.x-k8s.io", nil},
	{"config.openshift.io", []string{"ClusterVersion"}},
	{"datadoghq.com", []string{"DatadogAgent"}},
	{"install.istio.io", []string{"IstioOperator"}},
	{"karpenter.k8s.aws", []string{"EC2NodeClass"}},
	{"karpenter.sh", []string{"NodePool"}},
	{"machineconfiguration.openshift.io", []string{"ContainerRuntimeConfig", "KubeletConfig", "MachineConfig"}},
	{"operator.tigera.io", []string{"APIServer", "Installation"}},
	{"operator.victoriametrics.com", []string{"VLCluster", "VMCluster", "VTCluster"}},
	{"operators.coreos.com", []string{"CatalogSource", "ClusterServiceVersion", "Subscription"}},
	{"pkg.crossplane.io", []string{"Configuration", "Function", "Provider"}},
}

// inert are kinds that restart no pod though they may hold what looks like one.
var inert = []kindsOf{
	// What runs goes on; the next run has it.
	{"tekton.dev", []string{"ClusterTask", "Pipeline", "PipelineRun", "StepAction", "Task", "TaskRun"}},
	{"argoproj.io", []string{"AnalysisRun", "AnalysisTemplate", "AppProject", "ClusterAnalysisTemplate",
		"ClusterWorkflowTemplate", "CronWorkflow", "Workflow", "WorkflowTemplate"}},
	{"build.openshift.io", nil},
	{"image.openshift.io", nil},
	// It is taken when a pod starts.
	{"opentelemetry.io", []string{"Instrumentation"}},
	// They are rules for what is admitted, or queues and quotas for it.
	{"kyverno.io", nil},
	{"constraints.gatekeeper.sh", nil},
	{"mutations.gatekeeper.sh", nil},
	{"templates.gatekeeper.sh", nil},
	{"kueue.x-k8s.io", nil},
	// They scale, and replace no pod.
	{"keda.sh", nil},
	// They fill claims, or copy them away.
	{"cdi.kubevirt.io", nil},
	{"volsync.backube", nil},
	{"velero.io", nil},
	// They make objects, and of what these hold stamps follow ConfigMaps and Secrets.
	{"cert-manager.io", nil},
	{"external-secrets.io", nil},
	{"apiextensions.crossplane.io", nil},
	{"template.openshift.io", nil},
	// They are things in what runs.
	{"kafka.strimzi.io", []string{"KafkaTopic", "KafkaUser"}},
	// They look for versions, send and receive: what they write comes by Git.
	{"toolkit.fluxcd.io", nil},
}

// isIn reports whether the kind of an object is in a list.
func isIn(o Name, list []kindsOf) bool {
	return slices.ContainsFunc(list, func(k kindsOf) bool {
		isGroup := o.Group == k.group || strings.HasSuffix(o.Group, "."+k.group)
		return isGroup && (k.kinds == nil || slices.Contains(k.kinds, o.Kind))
	})
}

// hasPods reports whether a controller runs pods for an object of which the object holds no template that could be
// compared: it is an operator's. Rows are those of its kind, and tables what sides hold of it.
func hasPods(o *object, rows []*refs.Kind, tables ...map[string]any) bool {
	switch {
	case len(rows) > 0:
		return rows[0].Rollout == refs.ByOperator
	case !strings.Contains(o.Group, "."):
		return false // Kubernetes' own
	case isIn(o.Name, operated):
		return true
	case strings.HasSuffix(o.Group, ".k8s.io") && !strings.HasSuffix(o.Group, ".x-k8s.io"), isIn(o.Name, inert):
		return false
	}
	return slices.ContainsFunc(tables, func(table map[string]any) bool { return looksRunning(at(table, "spec"), 0) })
}

// isForeign reports whether a kind is of an operator that is not known here: what a change of spec does to pods is not
// seen from the object.
func isForeign(o *object, rows []*refs.Kind) bool {
	isOwn := !strings.Contains(o.Group, ".") || strings.HasSuffix(o.Group, ".k8s.io") &&
		!strings.HasSuffix(o.Group, ".x-k8s.io")
	return !isOwn && len(rows) == 0 && !isIn(o.Name, inert) && !isIn(o.Name, harmless) &&
		!slices.ContainsFunc(harmlessEndings[:], func(ending string) bool { return strings.HasSuffix(o.Kind, ending) })
}

// deepest is how many mappings below spec a version is looked for: further down it is that of an interface.
const deepest = 1

// looksRunning reports whether a part of an object of a kind that is not known describes what runs: an image, a number
// of pods, containers, what they may use, where they may run, or a version.
func looksRunning(table map[string]any, depth int) bool {
	for field, v := range table {
		if isRunning(field, v, depth) {
			return true
		}
		switch v := v.(type) {
		case map[string]any:
			if looksRunning(v, depth+1) {
				return true
			}
		case []any:
			for _, item := range v {
				if below, ok := item.(map[string]any); ok && looksRunning(below, depth+deepest+1) {
					return true
				}
			}
		}
	}
	return false
}

// isRunning reports whether a field is such a description.
func isRunning(field string, v any, depth int) bool {
	_, isNumber := v.(float64)
	_, isText := v.(string)
	list, isList := v.([]any)
	table, isTable := v.(map[string]any)
	switch field {
	case "image", "imageName":
		return isText || isTable
	case "images":
		return isList || isTable
	case "replicas", "replicaCount", "instances", "numberOfInstances", "members":
		return isNumber || isList
	case "version":
		return depth <= deepest && (isText || isNumber)
	case "podTemplate", "podTemplateSpec", "podSpec", "podMetadata":
		return isTable
	case "containers", "initContainers", "tolerations":
		return len(list) > 0 && isMapping(list[0])
	case "requests", "limits":
		return table["cpu"] != nil || table["memory"] != nil
	}
	return false
}

func isMapping(v any) bool {
	_, is := v.(map[string]any)
	return is
}
