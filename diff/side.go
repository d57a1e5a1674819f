// Package diff compares two sides, each an application or many as rendered and stamped: which workloads restart, and
// why.
package diff

import (
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/protect"
	"github.com/rollstamp/rollstamp/render"
)

// App is one application on one side.
type App struct {
	Name   string             // by which it is found on the other side
	Render *pipeline.Rendered // stamped; nil where Err is set
	// Together is stamped with what other applications of the side render, too, where the source has stamps of that: it is
	// what stamping the files of all of them again would come to. Nil where the source has none.
	Together *pipeline.Result
	AsIs     bool // the text of Result.Output counts as it is, with the stamps that it has or has not
	// KeepsStamps: what its source has of stamps is applied as it is. It counts on the new side, for both.
	KeepsStamps bool
	// Unstamped: rollstamp was not installed there, so nothing has the stamps that Result has.
	Unstamped bool
	Err       error
	At        diag.Position // of Err: in a file; the zero value where none is known
	// SameFiles: it and the files that it is rendered from are as on the other side, as far as they are known, and so is
	// what renders them: one failure on both sides is no news.
	SameFiles bool
	// Member is what the other applications of the side may know of it; nil where there is none, or that is not known.
	Member *fleet.Member
	// By are the objects that describe it, as errors name objects: what they restart is seen in what is compared.
	By []string
	// Takes are the objects in its cluster that it takes values from.
	Takes []app.Object
	// Context are the paths of what objects are looked up in for it and is not rendered with it.
	Context []config.NonEmpty
	// Around are the applications whose objects it looks up by its context, where it could not be rendered.
	Around []string
	// Kinds are the rules for kinds under which it was stamped.
	Kinds []config.KindRule
	// Compat says which other tools' annotations were in force: what these tools leave alone is left alone by both.
	Compat config.Compat
	// Destination and Namespace are where it is applied, as far as that is known: the namespace of objects that name none.
	Destination app.Destination
	Namespace   string
	Leaves      app.Leaves // why what goes from it stays in the cluster
	// Lock is the file that pins versions for it, as people see it; "" where there is none, or it is not known.
	Lock string
	// Suspended: what changes of it waits until somebody resumes it.
	Suspended bool
	// Replacing are the options by which its engine replaces what it applies, or deletes and creates it; "" for none.
	Replacing string
	Applier   app.Applier    // what applies it; "" for any
	Described diag.Position  // where the object lies that describes it
	Fetched   string         // the chart that it is rendered from, where that lies in no file of this machine; else ""
	Protect   config.Protect // which objects are protected
	// RulesAt are where its rules are, as people see the files; ProtectAt is where the list of them begins.
	RulesAt   []diag.Position
	ProtectAt diag.Position
}

// Side is everything on one side, by the names of the applications.
type Side struct {
	Label  string // a revision, a folder, a file: as the user named it
	Commit string // the full name of a revision's; "" for what is none
	// Head is the full name of the commit that is checked out, where the side is a work tree; Changes is a short digest
	// of the files that differ from it, and of those of applications that were never added; "" for none.
	Head    string
	Changes string
	Part    bool // other applications of the side are compared elsewhere
	Apps    []*App
	// Rendered are further objects that describe applications: which the other side has as they are here, or which are
	// compared elsewhere.
	Rendered []string
	Unread   []string // of the new side: files that change, and that none of the applications reads
	// PerhapsRead are those of the new side that change, and that templates may read which compute what they read.
	PerhapsRead []string
	Approvals   protect.Approvals // of the new side: of what becomes of protected objects
	// Naming returns the applications of the new side, those of other parts among them, whose descriptions name an object,
	// and those that failed and whose files name it, but for the file that it lies in; nil where that is not known.
	Naming func(o app.Object, file string) []string
	// NameOf returns the application of the new side that a folder is the source of, those of other parts among them; ""
	// where none is, or several are. Nil has each application be known by its folder.
	NameOf func(folder string) string
}

// result returns what the application was rendered to; nil for one that was not. What cannot be had any more has no
// objects here, and is the error of the comparison: loadError.
func (a *App) result() *pipeline.Result {
	r, err := a.Render.Result()
	if err != nil {
		return &pipeline.Result{Output: &render.Output{}}
	}
	return r
}

// UndescribedError is the error of an application of which one side knows nothing, because what describes it there
// failed. Whether it is removed, or new, is not known.
type UndescribedError struct{ By string }

func (e *UndescribedError) Error() string { return "not known here, as " + e.By + " failed" }

func byName(s Side) (map[string]*App, error) {
	out := make(map[string]*App, len(s.Apps))
	for _, a := range s.Apps {
		if out[a.Name] != nil {
			return nil, diag.Usage(fmt.Errorf("compare: two applications are called %s", a.Name), "Name each application once.")
		}
		out[a.Name] = a
	}
	return out, nil
}

func names(sides ...map[string]*App) []string {
	var out []string
	for _, s := range sides {
		for name := range s {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
