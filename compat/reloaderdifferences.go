package compat

import (
	"slices"
	"time"

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

// RunsAgain reports whether Reloader runs workloads of a kind again at once, as it does with jobs.
func RunsAgain(kind string) bool { return startedAgain[kind] != "" }

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
	if way := own.Get(rolloutStrategy); way.Valid() && !isRolloutStrategy(way.StringValue()) {
		w.Report(diag.New(diag.BadCompat, w.Object.String(), rolloutStrategy+" is "+diag.Quote(way.StringValue())+
			", which is neither rollout nor restart"), way.Offset())
	}
	if pause := own.Get(n.pause); pause.Valid() && !isDuration(pause.StringValue()) {
		w.Report(diag.New(diag.BadCompat, w.Object.String(), n.pause+" is "+diag.Quote(pause.StringValue())+
			", which is no time such as 5m"), pause.Offset())
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

func isRolloutStrategy(text string) bool { return text == "rollout" || text == "restart" }

func isDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
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
	restarting := map[*objects.Object]bool{}
	if startedAgain[d.kind] != "" || d.isLoose() || slices.ContainsFunc(t.References, isUnmounted) {
		found = append(found, d.byReference(t, restarting)...)
	}
	return append(found, d.looselyNamed(t, restarting)...)
}

// byReference returns the differences for what the template refers to, and adds what restarts it.
func (d *differences) byReference(t *Template, restarting map[*objects.Object]bool) (found []diag.Finding) {
	asked := false
	for c := range t.candidates {
		said := d.choices.of(c.Kind)
		if d.judge(c, said) != "" {
			continue
		}
		restarting[c.Object] = true
		named := said.names(c.Name)
		asked = asked || said.auto || named || said.search
		if !named && (said.auto || said.search) && onlyLaterMounted(c.References) {
			found = append(found, unlike(t, c.Object.String(), "Reloader looks at the first volume of "+c.Object.String()+
				" alone, which no container mounts, and does not restart the workload for it"))
		}
	}
	if how := startedAgain[d.kind]; how != "" && asked {
		found = append(found, unlike(t, d.kind, "Reloader "+how))
	}
	return found
}

func unlike(t *Template, about, message string) diag.Finding {
	return diag.New(diag.UnlikeReloader, t.Workload, message).WithAbout(about)
}

// isLoose reports whether a list has an item that Reloader reads in another way.
func (d *differences) isLoose() bool {
	return slices.ContainsFunc(d.choices[:], func(c choice) bool {
		return slices.ContainsFunc(c.named, func(p pattern) bool { return p.loose != nil })
	})
}

// looselyNamed returns the differences for objects that a list names only as Reloader reads it, without those that
// restart the workload in any case.
func (d *differences) looselyNamed(t *Template, restarting map[*objects.Object]bool) (found []diag.Finding) {
	for i, said := range d.choices {
		kind := objectsOfReloader[i]
		for k := range said.named {
			p := &said.named[k]
			if p.loose == nil || slices.Contains(d.args.ignoredKinds, kind) {
				continue
			}
			for _, o := range t.Names.Find(kind, t.Namespace, p.loose) {
				if restarting[o] || said.names(o.Name) || o.Annotation(d.args.names.ignore) == "true" ||
					slices.Contains(said.exclude, o.Name) {
					continue
				}
				restarting[o] = true // one report is enough
				found = append(found, unlike(t, o.String(), d.args.names.named[kind]+" has "+diag.Quote(p.text)+
					", which Reloader takes for "+diag.Quote("^"+p.text+"$")+": it restarts the workload for "+o.String()+", too"))
			}
		}
	}
	return found
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
