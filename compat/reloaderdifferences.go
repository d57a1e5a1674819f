package compat

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// rolloutStrategy is the annotation by which Reloader restarts a Rollout without a change of its template.
const rolloutStrategy = "reloader.stakater.com/rollout-strategy"

// deploymentConfig is a kind of workload that Reloader's documentation lists, and that its code restarts no more.
const deploymentConfig = "DeploymentConfig"

// startedAgain are the kinds of workloads that Reloader runs again, with how.
var startedAgain = map[string]string{
	"CronJob": "starts a Job of it at once; here the next Job reads what has changed",
	"Job":     "deletes it and creates it again; here only a sync that replaces it does",
}

// differences are what a workload says to Reloader, and where Reloader does otherwise for it.
type differences struct {
	*reloader
	kind    string
	choices choices
	notes   []string // what is wrong whatever the objects are
}

// judgeOne is Rule's judge.
func (d *differences) judgeOne(c *Candidate) string { return d.judge(c, d.choices.of(c.Kind)) }

// readNotes reads from a workload what Reloader does otherwise, whatever the objects are.
func (d *differences) readNotes(w *Workload) {
	own, inTemplate := w.Object.Node.At("metadata", "annotations"), w.Template.At("metadata", "annotations")
	n := &d.args.names
	if n := own.Get(rolloutStrategy); n.StringValue() == "restart" && d.kind == rollout {
		d.notes = append(d.notes,
			rolloutStrategy+" has Reloader restart it with its template as it is; here the template changes")
	}
	if own.Get(n.pause).Valid() {
		d.notes = append(d.notes, n.pause+" has Reloader pause it after a restart; nothing does here")
	}
	for _, kind := range objectsOfReloader {
		if key := n.exclude[kind]; inTemplate.Get(key).Valid() && !own.Get(key).Valid() {
			d.notes = append(d.notes, unread(key))
		}
	}
	if inTemplate.Get(n.search).Valid() && !own.Get(n.search).Valid() && d.hasGroup(own) {
		d.notes = append(d.notes, unread(n.search))
	}
}

func unread(key string) string {
	return key + " is on the pod template, where neither Reloader nor rollstamp reads it; it belongs on the workload"
}

// hasGroup reports whether annotations have one for which the pod template's do not count, for some kind.
func (r *reloader) hasGroup(annotations manifest.Node) bool {
	n := &r.args.names
	return slices.ContainsFunc(objectsOfReloader, func(kind string) bool {
		return slices.ContainsFunc([]string{n.auto, n.typedAuto[kind], n.named[kind], n.search},
			func(key string) bool { return annotations.Get(key).Valid() })
	})
}

// skipped returns a comparison for a workload that Reloader does not look at, nil where that is what it documents.
func (r *reloader) skipped(w *Workload) func(*Template) []diag.Finding {
	if w.Object.Kind != deploymentConfig || !r.hasGroup(w.Object.Node.At("metadata", "annotations")) {
		return nil
	}
	return func(t *Template) []diag.Finding {
		return []diag.Finding{diag.New(diag.UnlikeReloader, t.Workload,
			"Reloader's documentation has it restart a "+deploymentConfig+"; its code restarts none")}
	}
}

// of returns the differences for a template.
func (d *differences) of(t *Template) (found []diag.Finding) {
	for _, note := range d.notes {
		found = append(found, diag.New(diag.UnlikeReloader, t.Workload, note).WithAbout(note))
	}
	visit := t.objects
	switch {
	case d.mayNameLoosely():
	case startedAgain[d.kind] == "" && !slices.ContainsFunc(t.References, isUnmounted):
		return found // nothing else differs by object
	default:
		visit = t.read
	}
	return append(found, d.byObject(t, visit)...)
}

// byObject returns the differences for the objects that are visited.
func (d *differences) byObject(t *Template, visit func(func(*objects.Object))) (found []diag.Finding) {
	report := func(about, message string) {
		found = append(found, diag.New(diag.UnlikeReloader, t.Workload, message).WithAbout(about))
	}
	restarts := false
	visit(func(o *objects.Object) {
		c := t.candidate(o)
		said := d.choices.of(c.Kind)
		counts := len(c.References) > 0 && d.judge(c, said) == ""
		restarts = restarts || counts && (said.auto || said.names(c.Name) || said.search)
		if p := d.looselyNamed(c, said); p != nil && !counts {
			report(o.String(), d.args.names.named[c.Kind]+" has "+diag.Quote(p.text)+", which Reloader takes for "+
				diag.Quote("^"+p.text+"$")+": it restarts the workload for "+o.String()+", too")
		}
		if counts && !said.names(c.Name) && (said.auto || said.search) && onlyLaterMounted(c.References) {
			report(o.String(), "Reloader looks at the first volume of "+o.String()+
				" alone, which no container mounts, and does not restart the workload for it")
		}
	})
	if how := startedAgain[d.kind]; how != "" && restarts {
		report(d.kind, "Reloader "+how)
	}
	return found
}

// mayNameLoosely reports whether a list may name an object only as Reloader reads it.
func (d *differences) mayNameLoosely() bool {
	for _, said := range d.choices {
		if slices.ContainsFunc(said.named, func(p pattern) bool { return !p.exact || strings.Contains(p.text, ".") }) {
			return true
		}
	}
	return false
}

// looselyNamed returns the item of a list that names an object only as Reloader reads it, or nil.
func (d *differences) looselyNamed(c *Candidate, said choice) *pattern {
	if slices.Contains(d.args.ignoredKinds, c.Kind) || c.annotation(d.args.names.ignore) == "true" ||
		slices.Contains(said.exclude, c.Name) || said.names(c.Name) {
		return nil
	}
	for i := range said.named {
		if p := &said.named[i]; p.loose.MatchString(c.Name) {
			return p
		}
	}
	return nil
}

func isUnmounted(r refs.Reference) bool { return r.VolumeIssue == refs.Unmounted }

// onlyLaterMounted reports whether references to an object are volumes of which the first is not mounted and another
// is.
func onlyLaterMounted(all []refs.Reference) bool {
	first, mounted := -1, false
	for i := range all {
		switch all[i].Form {
		case refs.FormVolume, refs.FormProjected:
		default:
			return false
		}
		if first < 0 || all[i].Offset < all[first].Offset {
			first = i
		}
		mounted = mounted || all[i].VolumeIssue != refs.Unmounted
	}
	return first >= 0 && mounted && isUnmounted(all[first])
}
