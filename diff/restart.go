package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Restart is a workload whose pods are replaced, or would be.
type Restart struct {
	Name
	// Noise: nothing that a container reads has changed.
	Noise   bool    `json:"noise"`
	Rollout Rollout `json:"rollout"`
	Causes  []Cause `json:"causes"` // those with a meaning first
}

// Reason is the kind of change for which a workload restarts.
type Reason string

// The reasons.
const (
	Config    Reason = "config"    // what it reads from a ConfigMap, a Secret or a producer of one
	Image     Reason = "image"     // a container's image
	Template  Reason = "template"  // another field of the pod template
	First     Reason = "first"     // a stamp where there was none: the workload is stamped for the first time
	Uncounted Reason = "uncounted" // settings or an annotation leave it out: the workload reads the object as before
	Requested Reason = "request"   // somebody asked for a restart: rollstamp restart, or kubectl rollout restart
	Checksum  Reason = "checksum"  // a hash that the chart itself writes
	Label     Reason = "label"     // a label or annotation about a version or a time that nothing reads
	Order     Reason = "order"     // the same items in another order
)

// Cause is one reason why a workload restarts.
type Cause struct {
	Reason Reason `json:"reason"`
	// Of Config: the object that is read, its producer where there is one, and what changed of what is read.
	Object string      `json:"object,omitempty"`
	Via    string      `json:"via,omitempty"`
	Keys   []KeyChange `json:"keys,omitempty"`
	// Of Config: the workload refers to the object on both sides, and it exists on one side only.
	Exists Change `json:"exists,omitempty"`
	// Of what does not exist any more: the application that has one of that name and namespace now.
	MovedTo string `json:"movedTo,omitempty"`
	// Of all others: the place in the pod template.
	Path   string `json:"path,omitempty"`
	Change Change `json:"change,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Item   bool   `json:"item,omitempty"` // Path is a list, and From or To is an item of it

	Noise bool `json:"noise,omitempty"` // it changes nothing that a container reads
	// Of noise, First and Uncounted: why; of Exists: why the object stays; of Config: what changes besides its
	// keys, or why these come into force.
	Why  string `json:"why,omitempty"`
	File string `json:"file,omitempty"` // where to look
	Line int    `json:"line,omitempty"`
}

// Effect is what a changed pod template leads to.
type Effect string

// The effects. The first four replace pods by themselves.
const (
	Rolling     Effect = "rolling"      // pods are replaced step by step
	AllAtOnce   Effect = "all-at-once"  // all pods stop before new ones start
	Progressive Effect = "progressive"  // in the steps of a Rollout: canary or blue-green
	Revision    Effect = "new-revision" // a new revision takes over
	Paused      Effect = "paused"       // nothing happens until the workload is resumed
	Suspended   Effect = "suspended"    // nothing is applied until the application is resumed
	OnDelete    Effect = "on-delete"    // a pod is replaced when it is deleted
	NextRun     Effect = "next-run"     // what runs goes on; the next run has the new template
	Rerun       Effect = "rerun"        // a hook, or a Job that is replaced: it runs again
	Rejected    Effect = "rejected"     // the field is immutable: the API server refuses the change
	Nothing     Effect = "nothing"      // running pods stay as they are
	NoneToStay  Effect = "none-to-stay" // there are pods before or after the change, and not both
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

// inPlace returns how a Pod takes a change that the API server takes: of images, its deadline, more tolerations, and
// metadata. Not ok where it refuses the change, and for other kinds.
func (r *Restart) inPlace() (out Rollout, ok bool) {
	if r.Group != "" || r.Kind != "Pod" || r.Rollout.Effect != Rejected {
		return out, false
	}
	out = Rollout{Effect: Nothing}
	for _, c := range r.Causes {
		switch {
		case c.Reason == Image && c.Change == Modification:
			out = Rollout{Effect: AllAtOnce, Detail: "the kubelet restarts its containers"}
		case strings.HasPrefix(c.Path, "metadata."):
		case strings.HasPrefix(c.Path, "tolerations") && c.Change == Addition:
		case c.Path == "activeDeadlineSeconds" && isLess(c.From, c.To):
		default:
			return Rollout{}, false
		}
	}
	return out, true
}

// isLess reports whether a number becomes less, or there was none.
func isLess(from, to string) bool {
	was, errWas := strconv.Atoi(from)
	is, errIs := strconv.Atoi(to)
	return errIs == nil && (from == "" || errWas == nil && is < was)
}

// add takes causes; several places that come from one object are one cause.
func (r *Restart) add(causes []Cause) {
	config := map[string]int{}
	for i, c := range r.Causes {
		if c.Reason == Config {
			config[c.Object] = i
		}
	}
	for _, c := range causes {
		if c.Reason == First && c.Path == "" && slices.ContainsFunc(r.Causes, c.isFirstOf) {
			continue
		}
		i, known := config[c.Object]
		if c.Reason != Config || !known {
			if c.Reason == Config {
				config[c.Object] = len(r.Causes)
			}
			r.Causes = append(r.Causes, c)
			continue
		}
		have := &r.Causes[i]
		have.Keys = slices.Concat(have.Keys, c.Keys)
		slices.SortFunc(have.Keys, compareKeys)
		have.Keys = slices.Compact(have.Keys)
	}
	slices.SortStableFunc(r.Causes, func(x, y Cause) int {
		return cmp.Or(rank(x)-rank(y), cmp.Compare(x.Object, y.Object), cmp.Compare(x.Path, y.Path))
	})
	r.Noise = !slices.ContainsFunc(r.Causes, func(c Cause) bool { return !c.Noise })
}

// isFirstOf reports whether another cause is the first stamp of the same object.
func (c Cause) isFirstOf(other Cause) bool { return other.Reason == First && other.Object == c.Object }

// rank puts what a reader looks for first.
func rank(c Cause) int {
	if c.Noise {
		return 9
	}
	return slices.Index([]Reason{Config, Image, Template, First, Uncounted, Requested}, c.Reason)
}
