package lock

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
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
	// Conflict reports that a merge left another line about the same beside it, so that neither counts.
	Conflict bool
}

// isApplication reports whether the first word of a line names an application, not a store.
func isApplication(word string) bool {
	engine, _, _ := strings.Cut(word, "/")
	return engine == "path" || engine == ArgoCD || engine == Flux
}

// applicationOf returns the application that the line of a name is about, if it is about one.
func applicationOf(name string) (Application, bool) {
	word, _, _ := strings.Cut(name, " ")
	return Application(word), isApplication(word)
}

// Decisions returns what the lock holds about an application under its names, sorted. Of two lines about the same, the
// one under the first of the names counts.
func (f *File) Decisions(names ...Application) (out []Decision) {
	var buffer [256]byte
	for i, app := range names {
		out = slices.Grow(out, len(f.decided[app]))
		for _, name := range f.decided[app] {
			rest := name[len(app):]
			hidden := slices.ContainsFunc(names[:i], func(first Application) bool {
				_, has := f.entries[string(append(append(buffer[:0], first...), rest...))]
				return has
			})
			if hidden {
				continue
			}
			e := f.entries[name]
			workload, object, _ := strings.Cut(rest[1:], "#")
			out = append(out, Decision{Class: Class(e.class), Workload: workload, Object: object, Text: e.text,
				Pos: diag.Position{File: f.path, Line: e.line}, Conflict: f.unresolved[name] != 0})
		}
	}
	slices.SortFunc(out, func(a, b Decision) int {
		return cmp.Or(strings.Compare(a.Workload, b.Workload), strings.Compare(a.Object, b.Object))
	})
	return out
}

// Applications returns the applications that the lock holds decisions about, sorted.
func (f *File) Applications() (out []Application) {
	for app, names := range f.decided {
		if len(names) > 0 {
			out = append(out, app)
		}
	}
	slices.Sort(out)
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

// Decide records a decision about a workload of an application under one of its names, instead of an earlier one about
// the same there. What stands under another name stays: other applications may have that, too.
func (u *Update) Decide(app Application, d Decision) {
	name := nameOf(app, d)
	u.now.put(entry{name: name, class: string(d.Class), text: d.Text, line: u.old.entries[name].line})
}

// Forget removes a decision under a name of an application.
func (u *Update) Forget(app Application, d Decision) { u.now.drop(nameOf(app, d)) }

// isHeld reports whether a text is what an adopted or approved line may hold: digests, each perhaps with the stamp that
// stays, and words of what else stays.
func isHeld(text string) bool {
	digests := 0
	for word := range strings.SplitSeq(text, " ") {
		value, stamp, with := strings.Cut(word, "=")
		switch {
		case hashing.IsDigest(value) && (!with || hashing.IsDigest(stamp)):
			digests++
		case !isHeldWord(word):
			return false
		}
	}
	return digests > 0
}

// isHeldWord reports whether a word says what stays besides a stamp: annotations of other tools, or the way in which
// stamps of before got into the template, as plan.Way has it.
func isHeldWord(word string) bool {
	switch word {
	case "foreign", "annotation", "combined", "env", "env-combined", "env-all", "env-all-combined":
		return true
	}
	return false
}

// restartTime returns the time that the text of a restart begins with; the zero time where it begins with none.
func restartTime(text string) time.Time {
	when, _, _ := strings.Cut(text, " ")
	at, _ := time.Parse(time.RFC3339, when)
	return at
}
