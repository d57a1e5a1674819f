// Package refs finds the references to ConfigMaps, Secrets and their relatives in workloads: a table of kinds and of
// positions in a pod spec, and the one finder that walks it.
package refs

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
	path  string // fields with dots between them, "[]" after a list
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

// podPositions hold for the pod spec. Sources: the Kubernetes API (core/v1 PodSpec) and kustomize's name references,
// which a test takes as the least that must be found.
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
