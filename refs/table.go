// Package refs finds the references to ConfigMaps, Secrets and their relatives in workloads: a table of kinds and of
// positions in a pod spec, and the one finder that walks it.
package refs

import "github.com/rollstamp/rollstamp/config"

// The kinds of object that a reference can point to.
const (
	ConfigMap           = "ConfigMap"
	Secret              = "Secret"
	SecretProviderClass = "SecretProviderClass"
)

// Form is how a reference is written.
type Form string

// The forms that matter beyond their name; a volume plugin's form is the plugin's name.
const (
	FormEnv       Form = "env"
	FormEnvFrom   Form = "envFrom"
	FormVolume    Form = "volume"
	FormProjected Form = "projected"
	FormCSI       Form = "csi"
	FormPull      Form = "imagePullSecrets"
	FormRule      Form = "rule"
)

// scope says which keys of the object a position consumes.
type scope uint8

const (
	all   scope = iota // every key
	key                // the key that the reference names
	files              // those that the mounts of the volume reach
)

// position is a row of the table: a place below a pod spec that names an object.
type position struct {
	path  string // fields with dots between them, "[]" behind a list
	kind  string
	name  string // the field that holds the object's name, below path
	form  Form
	scope scope
	level int // the level of coverage that added the row
}

// containerPositions hold for every list of containers.
var containerPositions = []position{
	{"env[].valueFrom.configMapKeyRef", ConfigMap, "name", FormEnv, key, 1},
	{"env[].valueFrom.secretKeyRef", Secret, "name", FormEnv, key, 1},
	{"envFrom[].configMapRef", ConfigMap, "name", FormEnvFrom, all, 1},
	{"envFrom[].secretRef", Secret, "name", FormEnvFrom, all, 1},
}

var containerLists = []string{"initContainers", "containers", "ephemeralContainers"}

// podPositions hold for the pod spec. Sources: the Kubernetes API (core/v1 PodSpec) and kustomize's name references, which a test
// takes as the least that must be found.
var podPositions = []position{
	{"volumes[].configMap", ConfigMap, "name", FormVolume, files, 1},
	{"volumes[].secret", Secret, "secretName", FormVolume, files, 1},
	{"volumes[].projected.sources[].configMap", ConfigMap, "name", FormProjected, files, 1},
	{"volumes[].projected.sources[].secret", Secret, "name", FormProjected, files, 1},
	{"volumes[].csi.volumeAttributes", SecretProviderClass, "secretProviderClass", FormCSI, all, 1},
	{"volumes[].csi.nodePublishSecretRef", Secret, "name", "csi.nodePublishSecretRef", all, 1},
	{"volumes[].azureFile", Secret, "secretName", "azureFile", all, 1},
	{"volumes[].cephfs.secretRef", Secret, "name", "cephfs", all, 1},
	{"volumes[].cinder.secretRef", Secret, "name", "cinder", all, 1},
	{"volumes[].flexVolume.secretRef", Secret, "name", "flexVolume", all, 1},
	{"volumes[].iscsi.secretRef", Secret, "name", "iscsi", all, 1},
	{"volumes[].rbd.secretRef", Secret, "name", "rbd", all, 1},
	{"volumes[].scaleIO.secretRef", Secret, "name", "scaleIO", all, 1},
	{"volumes[].storageos.secretRef", Secret, "name", "storageos", all, 1},
	{"imagePullSecrets[]", Secret, "name", FormPull, all, 1},
}

// Stamping says whether workloads of a kind are stamped when nobody says so.
type Stamping uint8

const (
	// ByDefault: a changed template makes a rollout.
	ByDefault Stamping = iota
	// OnRequest: the template is immutable, replaces no pod, or starts afresh anyway.
	OnRequest
)

// Kind is a row of the table of workloads: where a kind holds its pod template.
type Kind struct {
	Groups      []string // API groups, "" for the core one
	Kind        string
	Template    []string // from the object to the pod template; empty: the object itself
	PodSpec     []string // from the template to the pod spec
	Annotations []string // from the template to the annotations that are stamped
	Stamping    Stamping
	Level       int
	rule        *config.KindRule // set: the paths are the rule's
}

var (
	template = []string{"spec", "template"}
	podSpec  = []string{"spec"}
	annotate = []string{"metadata", "annotations"}
)

func builtin(kind string, at []string, s Stamping, groups ...string) Kind {
	return Kind{Groups: groups, Kind: kind, Template: at, PodSpec: podSpec, Annotations: annotate, Stamping: s, Level: 1}
}

const (
	apps       = "apps"
	extensions = "extensions"
	kruise     = "apps.kruise.io"
	knative    = "serving.knative.dev"
)

// builtinKinds are the workloads that are known without a rule.
var builtinKinds = []Kind{
	builtin("Deployment", template, ByDefault, apps, extensions),
	builtin("StatefulSet", template, ByDefault, apps, kruise),
	builtin("DaemonSet", template, ByDefault, apps, extensions, kruise),
	builtin("ReplicaSet", template, OnRequest, apps, extensions),
	builtin("ReplicationController", template, OnRequest, ""),
	builtin("Job", template, OnRequest, "batch"),
	builtin("CronJob", []string{"spec", "jobTemplate", "spec", "template"}, OnRequest, "batch"),
	builtin("Pod", nil, OnRequest, ""),
	builtin("PodTemplate", []string{"template"}, OnRequest, ""),
	// A Rollout with a workloadRef holds no template: it follows that of the Deployment it names, which is stamped itself.
	builtin("Rollout", template, ByDefault, "argoproj.io"),
	builtin("DeploymentConfig", template, ByDefault, "apps.openshift.io", ""),
	builtin("Service", template, ByDefault, knative),
	builtin("Configuration", template, ByDefault, knative),
	builtin("Revision", nil, OnRequest, knative),
	builtin("CloneSet", template, ByDefault, kruise),
	builtin("BroadcastJob", template, OnRequest, kruise),
	builtin("AdvancedCronJob", []string{"spec", "template", "jobTemplate", "spec", "template"}, OnRequest, kruise),
	builtin("AdvancedCronJob", []string{"spec", "template", "broadcastJobTemplate", "spec", "template"}, OnRequest, kruise),
	builtin("SidecarSet", nil, OnRequest, kruise),
	builtin("UnitedDeployment", []string{"spec", "template", "statefulSetTemplate", "spec", "template"}, ByDefault, kruise),
	builtin("UnitedDeployment", []string{"spec", "template", "advancedStatefulSetTemplate", "spec", "template"}, ByDefault, kruise),
	builtin("UnitedDeployment", []string{"spec", "template", "cloneSetTemplate", "spec", "template"}, ByDefault, kruise),
	builtin("UnitedDeployment", []string{"spec", "template", "deploymentTemplate", "spec", "template"}, ByDefault, kruise),
}
