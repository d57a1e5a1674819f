package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// Prefix begins the keys of the annotations that people set.
const Prefix = "rollstamp.dev/"

// The annotations that people set.
const (
	ModeAnnotation = "rollstamp.dev/mode"         // on a workload: auto, on, off
	LiveAnnotation = "rollstamp.dev/live-volumes" // on a workload: "true"
	WayAnnotation  = "rollstamp.dev/strategy"     // on a workload: annotation, env, suffix, none
	SkipAnnotation = "rollstamp.dev/ignore"       // on a ConfigMap or Secret: "true"
)

// Verdict is whether a pod template is stamped.
type Verdict uint8

// The verdicts.
const (
	Excluded   Verdict = iota
	Included           // a change of it makes a rollout, or it was asked for
	IfFollowed         // only where a Rollout takes it with workloadRef
)

// Workload is an object with pod templates whose verdicts are asked for.
type Workload struct {
	Object    manifest.Object
	Namespace string // that it is in, also where the object does not name it
	Settings  *config.Settings
	Report    Report
	IsRelease bool // Helm runs it as a hook where it is one
}

// Mode returns whether a template is to be stamped. The workload's own annotation counts before the configuration,
// and that before the kind's default. Findings are reported for templates that refer to something.
func (w *Workload) Mode(t refs.Template, row *refs.Kind) Verdict {
	o := w.Object
	mode, offset := w.annotation(t, ModeAnnotation)
	if mode == "" {
		if rule := w.rule(); rule != nil {
			mode = string(rule.Mode)
		}
	}
	if t.Annotations == nil {
		return w.exclude(t, "the rule for "+o.Kind+" names no place for stamps")
	}
	if w.RunsAsHook() {
		return w.exclude(t, madeAgain)
	}
	switch config.Mode(mode) {
	case config.ModeOn:
		return Included
	case config.ModeOff:
		if len(t.References) > 0 {
			w.Report(diag.New(diag.SwitchedOff, o.String(), "the workload is switched off"), o.Node.Offset())
		}
		return Excluded
	case config.ModeAuto, "":
	default:
		w.badValue(ModeAnnotation, mode, offset, config.Mode("").Choices())
	}
	switch {
	case row.Stamping == refs.WhenFollowed:
		return IfFollowed
	case row.Stamping == refs.OnRequest:
		return w.exclude(t, NotAskedReason(o.Kind))
	case isHandedHook(o):
		return w.exclude(t, madeAgain)
	case row.Rollout == refs.ByRevision && t.Node.At("metadata", "name").StringValue() != "":
		return w.exclude(t, "the template names its revision, which must not change")
	}
	return Included
}

// madeAgain is why a hook is not stamped.
const madeAgain = "it is a hook, which Helm makes again each time"

// NotAskedReason is why a workload of a kind that is stamped on request only is not stamped.
func NotAskedReason(kind string) string { return kind + " is not stamped unless asked" }

// Live reports whether the workload restarts only for what the kubelet does not keep up to date by itself.
func (w *Workload) Live(t refs.Template) bool {
	if text, offset := w.annotation(t, LiveAnnotation); text != "" {
		on, err := strconv.ParseBool(text)
		if err == nil {
			return on
		}
		w.badValue(LiveAnnotation, text, offset, TruthValues())
	}
	if rule := w.rule(); rule != nil && rule.LiveVolumes != nil {
		return *rule.LiveVolumes
	}
	return w.Settings.LiveVolumes.Value
}

// Manual reports whether a change of what the workload reads waits for approval.
func (w *Workload) Manual() bool {
	if rule := w.rule(); rule != nil && rule.Reload != "" {
		return rule.Reload == config.ReloadManual
	}
	return w.Settings.Reload.Value == config.ReloadManual
}

// Rank returns the workload's turn when several wait for approval.
func (w *Workload) Rank() int {
	for i := range w.Settings.Order.Value {
		if w.Settings.Order.Value[i].Matches(w.Object.Kind, w.Namespace, w.Object.Name, w.Object.Labels()) {
			return i
		}
	}
	return len(w.Settings.Order.Value)
}

// Annotations returns copies of those of ours that the workload or the template has, by their keys; nil where there are
// none. The workload's own count before its template's.
func (w *Workload) Annotations(t refs.Template) map[string]string {
	var out map[string]string
	for _, n := range [2]manifest.Node{t.Node, w.Object.Node} {
		if all := n.At("metadata", "annotations"); all.Valid() {
			out = addOurs(out, all)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(out)) {
		reportUnknown(key, []string{ModeAnnotation, LiveAnnotation, WayAnnotation}, w.Object, w.Report)
	}
	return out
}

// ReportNames reports the annotations rollstamp.dev/... of a ConfigMap or Secret that do not exist.
func ReportNames(o manifest.Object, report Report) {
	for k := range o.Node.At("metadata", "annotations").Entries() {
		if strings.HasPrefix(k.Text(), Prefix) {
			reportUnknown(strings.Clone(k.Text()), []string{SkipAnnotation}, o, report)
		}
	}
}

// reportUnknown reports an annotation that has no effect on an object: a policy that somebody embeds may know it, but
// one that is written nearly as one of ours is a slip.
func reportUnknown(key string, known []string, o manifest.Object, report Report) {
	if slices.Contains(known, key) {
		return
	}
	names := make([]string, len(known))
	for i, name := range known {
		names[i] = strings.TrimPrefix(name, Prefix)
	}
	near := config.Suggest(strings.TrimPrefix(key, Prefix), names)
	f := diag.New(diag.BadMode, o.String(), key+" is no annotation of this kind of object"+near)
	f.Hint = "It has no effect. On a workload there are " + ModeAnnotation + ", " + LiveAnnotation + " and " +
		WayAnnotation + ", on a ConfigMap or Secret " + SkipAnnotation + "."
	if near == "" {
		f.Severity = diag.Info
	}
	report(f.AsNotice(), o.Node.Offset())
}

// addOurs adds copies of those of ours among annotations to a map, which is made for the first.
func addOurs(to map[string]string, annotations manifest.Node) map[string]string {
	for k, v := range annotations.Entries() {
		if !strings.HasPrefix(k.Text(), Prefix) {
			continue
		}
		if to == nil {
			to = map[string]string{}
		}
		to[strings.Clone(k.Text())] = strings.Clone(v.StringValue())
	}
	return to
}

// annotation returns one of ours from the workload's own metadata, else from its pod template's, and its place in the
// text.
func (w *Workload) annotation(t refs.Template, key string) (string, int) {
	for _, n := range [2]manifest.Node{w.Object.Node, t.Node} {
		if v := n.At("metadata", "annotations", key); v.Valid() {
			return v.StringValue(), v.Offset()
		}
	}
	return "", 0
}

func (w *Workload) rule() *config.WorkloadRule {
	if len(w.Settings.Workloads.Value) == 0 {
		return nil
	}
	return w.Settings.Workload(w.Object.Kind, w.Namespace, w.Object.Name, w.Object.Labels())
}

func (w *Workload) exclude(t refs.Template, why string) Verdict {
	if len(t.References) > 0 {
		w.Report(diag.New(diag.NotStamped, w.Object.String(), why), w.Object.Node.Offset())
	}
	return Excluded
}

// badValue reports an annotation of ours with a value that is none of those that it takes.
func (w *Workload) badValue(key, text string, offset int, choices []string) {
	w.Report(BadValue(w.Object.String(), key, text, choices), offset)
}

// BadValue returns the finding about an annotation of ours with a value that is none of those that it takes.
func BadValue(object, key, text string, choices []string) diag.Finding {
	last := len(choices) - 1
	return diag.New(diag.BadMode, object, key+" is "+diag.Quote(text)+", which has no effect: it takes "+
		strings.Join(choices[:last], ", ")+" or "+choices[last])
}

// TruthValues are those of an annotation that switches something on or off.
func TruthValues() []string { return []string{"true", "false"} }
