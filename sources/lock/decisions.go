package lock

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Class is what a line of the lock holds, as its third word names it.
type Class string

// The classes of decisions. Each is about a workload; an Adopted and an Approved one about an object that it consumes.
const (
	Adopted  Class = "adopted"  // the digest that counts as stamped although there is no stamp
	Approved Class = "approved" // the digest that stays until another one is approved
	Restart  Class = "restart"  // a restart that somebody asked for: when, by whom, and why
)

// decisionClasses are the classes of lines that no store knows anything of.
var decisionClasses = []Class{Adopted, Approved, Restart}

// Decision is what somebody decided about a workload.
type Decision struct {
	Class    Class
	Workload string // KIND/NAMESPACE/NAME, with an empty namespace where it is not known
	Object   string // KIND/NAME of what the workload consumes; "" with Restart
	Text     string // the digest; of a Restart when, by whom and why, with blanks between them
	Pos      diag.Position
}

// Application is how lines name an application.
type Application string

// Named returns how lines name an application that an inventory has under a name.
func Named(name string) Application { return Application("app/" + escape(name)) }

// At returns how lines name an application by its path from the folder of the lock.
func At(path string) Application { return Application("path/" + escape(path)) }

// isApplication reports whether the first word of a line names an application, not a store.
func isApplication(word string) bool {
	return strings.HasPrefix(word, "app/") || strings.HasPrefix(word, "path/")
}

// Decisions returns what the lock holds about the first of several names of an application that it has lines for,
// sorted.
func (f *File) Decisions(names ...Application) (out []Decision) {
	for _, app := range names {
		for name, e := range f.entries {
			rest, ok := strings.CutPrefix(name, string(app)+" ")
			if !ok || !e.isDecision() {
				continue
			}
			workload, object, _ := strings.Cut(rest, "#")
			out = append(out, Decision{Class: Class(e.class), Workload: workload, Object: object, Text: e.text,
				Pos: diag.Position{File: f.path, Line: e.line}})
		}
		if len(out) > 0 {
			break
		}
	}
	slices.SortFunc(out, func(a, b Decision) int {
		return strings.Compare(a.Workload+"#"+a.Object, b.Workload+"#"+b.Object)
	})
	return out
}

func (e entry) isDecision() bool { return slices.Contains(decisionClasses, Class(e.class)) }

// nameOf returns the name of the line of a decision.
func nameOf(app Application, d Decision) string {
	name := string(app) + " " + d.Workload
	if d.Object != "" {
		name += "#" + d.Object
	}
	return name
}

// Decide records a decision about a workload of an application, instead of an earlier one about the same.
func (u *Update) Decide(app Application, d Decision) {
	name := nameOf(app, d)
	u.now.put(entry{name: name, class: string(d.Class), text: d.Text, line: u.old.entries[name].line})
}

// Forget removes a decision, and reports whether there was one.
func (u *Update) Forget(app Application, d Decision) bool {
	_, had := u.now.entries[nameOf(app, d)]
	u.now.drop(nameOf(app, d))
	return had
}
