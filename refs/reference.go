package refs

import (
	"github.com/rollstamp/rollstamp/manifest"
)

// Reference is one place in a workload that names a ConfigMap, Secret or SecretProviderClass. References that point to
// one object are not joined; see Scope.
type Reference struct {
	Kind        string
	Namespace   string // "" for that of the workload
	Name        string
	Form        Form
	Keys        []string // with All false: these count
	All         bool     // every key counts
	Optional    bool
	Live        bool // read only through mounts that the kubelet keeps up to date
	Shared      bool // one of several sources of a volume, of whatever sort, without items: a key may be in another one
	BySubPath   bool // Keys are subPaths of mounts: for one that is missing the kubelet mounts an empty directory
	InPath      bool // the name is a folder in the pod, too
	VolumeIssue VolumeIssue
	Offset      int // where in the text
	NameOffset  int // where its name is there
}

// VolumeIssue is what is wrong with a volume, or NoIssue.
type VolumeIssue uint8

// The issues. In both cases every key of the volume counts.
const (
	NoIssue   VolumeIssue = iota
	Unmounted             // no container mounts it
	Misses                // every mount has a subPath, and none can hit a file
)

// Template is one pod template of a workload, with what it refers to.
type Template struct {
	Node        manifest.Node // the template, or what is read instead of one
	Annotations []string      // from Node to the annotations that are stamped; nil where nothing is
	PodSpec     manifest.Node // of a template that is one to Kubernetes; not valid elsewhere
	References  []Reference   // in the order of the text
	Malformed   []Malformed   // what cannot be read as a reference
}

// Malformed is a value of another type than the API has for a reference or a part of one: the API server refuses the
// whole object.
type Malformed struct {
	Problem string
	Offset  int // where in the text
}
