package check

import (
	"cmp"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
)

// FindUnknown returns a finding for each stamp that stays as it is because what it is of is in nothing that this run
// has: stamping changes nothing there, whatever its value is.
func FindUnknown(r *pipeline.Result) (found []diag.Finding) {
	unknown := map[int][]*plan.Wanted{} // by the index of the workload
	for i := range r.Plan.Stamps {
		w := &r.Plan.Stamps[i]
		place := &r.Plan.Places[w.Place]
		if w.Reason == plan.Unknown && w.Value == "" && place.Workload >= 0 && !place.Left {
			unknown[place.Workload] = append(unknown[place.Workload], w)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	text := r.Output.Rendered()
	has := stampsIn(text.Text, text.Namespace, r.Plan.Prefix)
	for i := range r.Plan.Workloads {
		w := &r.Plan.Workloads[i]
		names := map[string]bool{}
		for at := range has[manifest.Describe(w.Kind, w.Namespace, w.Name)] {
			names[nameOf(at)] = true
		}
		for _, one := range unknown[i] {
			if name := writtenName(r.Plan, i, one, names); name != "" {
				found = append(found, uncheckedOf(w, one, name))
			}
		}
	}
	return found
}

// writtenName returns the name of the annotation or variable that has a stamp that stays, among those that a workload
// has; "" where none has it.
func writtenName(p *plan.Plan, workload int, of *plan.Wanted, names map[string]bool) string {
	for _, name := range []string{of.Key, hashing.Variable(of.Kind, of.Name)} {
		if names[name] {
			return name
		}
	}
	if all := p.Prefix.Combined(); names[all] && p.Keeps(workload, all) == plan.AsUnknown {
		return all
	}
	return ""
}

// uncheckedOf returns the finding about a stamp of what is not known.
func uncheckedOf(w *plan.Workload, of *plan.Wanted, name string) diag.Finding {
	object := manifest.Describe(of.Kind, cmp.Or(of.Namespace, w.Namespace), of.Name)
	f := diag.New(diag.StampUnchecked, manifest.Describe(w.Kind, w.Namespace, w.Name),
		fmt.Sprintf("what %s holds is not known to this run, so its stamp %s cannot be checked", object, name))
	f.Severity = diag.Info
	f.Hint = "Pass what holds it, too, or name that under context: in .rollstamp.yaml. If it went missing on the way, " +
		"--against with what went in names it."
	return f.At(w.Position)
}
