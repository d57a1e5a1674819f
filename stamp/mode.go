package stamp

import (
	"strconv"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// The annotations that people set.
const (
	ModeAnnotation = "rollstamp.dev/mode"         // on a workload: auto, on, off
	LiveAnnotation = "rollstamp.dev/live-volumes" // on a workload: "true"
	SkipAnnotation = "rollstamp.dev/ignore"       // on a ConfigMap or Secret: "true"
)

// annotation reads one of ours from the workload's own metadata, else from its pod template's.
func annotation(o manifest.Object, t refs.Template, key string) (string, int) {
	for _, n := range []manifest.Node{o.Node, t.Node} {
		if v := n.At("metadata", "annotations", key); v.Valid() {
			return v.StringValue(), v.Offset()
		}
	}
	return "", 0
}

// verdict says whether a template is stamped.
type verdict uint8

const (
	leaveAlone   verdict = iota
	stampIt              // a change of it makes a rollout, or somebody asked
	stampForUser         // only where a Rollout follows it with workloadRef
)

// mode reports whether the template is to be stamped. What the workload says itself counts before the configuration, and that
// before the kind's default. Findings are made for templates that refer to something.
func (w *work) mode(o manifest.Object, t refs.Template, row *refs.Kind, refers bool) verdict {
	word, offset := annotation(o, t, ModeAnnotation)
	if word == "" {
		if rule := w.rule(o); rule != nil {
			word = string(rule.Mode)
		}
	}
	if t.Annotations == nil {
		w.notStamped(o.String(), "the rule for "+o.Kind+" names no place for stamps", o.Node.Offset(), refers)
		return leaveAlone
	}
	switch config.Mode(word) {
	case config.ModeOn:
		return stampIt
	case config.ModeOff:
		if refers {
			w.find(diag.New(diag.SwitchedOff, o.String(), "the workload is switched off"), o.Node.Offset())
		}
		return leaveAlone
	case config.ModeAuto, "":
	default:
		w.find(diag.New(diag.BadMode, o.String(), ModeAnnotation+" is "+quote(word)), offset)
	}
	switch {
	case row.Stamping == refs.WhenFollowed:
		return stampForUser
	case row.Stamping == refs.OnRequest:
		w.notStamped(o.String(), o.Kind+" is not stamped unless asked", o.Node.Offset(), refers)
		return leaveAlone
	case row.Rollout == refs.ByRevision && t.Node.At("metadata", "name").StringValue() != "":
		w.notStamped(o.String(), "the template names its revision, which must not change", o.Node.Offset(), refers)
		return leaveAlone
	}
	return stampIt
}

func (w *work) notStamped(object, why string, offset int, refers bool) {
	if refers {
		w.find(diag.New(diag.NotStamped, object, why), offset)
	}
}

// follow remembers what a Rollout takes its template from: a change there makes its rollout, whatever kind it is.
func (w *work) follow(o manifest.Object, row *refs.Kind) {
	if row.Follows == nil {
		return
	}
	if ref := o.Node.At(row.Follows...); ref.IsMap() {
		if w.followed == nil {
			w.followed = map[[3]string]bool{}
		}
		w.followed[[3]string{ref.Get("kind").StringValue(), w.home(o.Namespace), ref.Get("name").StringValue()}] = true
	}
}

func (w *work) rule(o manifest.Object) *config.WorkloadRule {
	if len(w.settings.Workloads.Value) == 0 {
		return nil
	}
	return w.settings.Workload(o.Kind, w.home(o.Namespace), o.Name, o.Labels())
}

// live reports whether the workload restarts only for what the kubelet does not keep up to date by itself.
func (w *work) live(o manifest.Object, t refs.Template) bool {
	if word, offset := annotation(o, t, LiveAnnotation); word != "" {
		on, err := strconv.ParseBool(word)
		if err == nil {
			return on
		}
		w.find(diag.New(diag.BadMode, o.String(), LiveAnnotation+" is "+quote(word)), offset)
	}
	if rule := w.rule(o); rule != nil && rule.LiveVolumes != nil {
		return *rule.LiveVolumes
	}
	return w.settings.LiveVolumes.Value
}

// rolloutFindings reports what keeps a changed template from restarting pods at once.
func (w *work) rolloutFindings(o manifest.Object) {
	if o.Node.At("spec", "paused").IsTrue() {
		w.find(diag.New(diag.Paused, o.String(), "the workload is paused"), o.Node.Offset())
	}
	if o.Node.At("spec", "updateStrategy", "type").Text() == "OnDelete" {
		w.find(diag.New(diag.OnDelete, o.String(), "the update strategy is OnDelete"), o.Node.Offset())
	}
}
