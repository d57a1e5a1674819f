package migrate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// most is how many workloads of a list are printed.
const most = 20

// WriteText writes the report for people. Paths are written as from returns them, which is asked once for each.
func (r *Report) WriteText(w io.Writer, from func(path string) string) error {
	written := map[string]string{}
	p := &printer{w: w, advice: "--as flux or --as argocd renders them", from: func(path string) string {
		as, known := written[path]
		if !known {
			as = from(path)
			written[path] = as
		}
		return as
	}}
	p.byEngine = r.ByEngine
	if r.ByEngine && r.Failed {
		p.advice = "their errors say what each of them needs"
	}
	switch {
	case r.Objects == 0 && r.Failed:
		p.line(0, "What applications have of other tools is not known: none could be rendered.")
	case len(r.Tools) == 0 && r.Failed:
		p.line(0, "Nothing of another tool is in the %s that could be rendered; applications failed.",
			diag.Count(r.Objects, "object"))
	case len(r.Tools) == 0 && len(r.Mentioned) > 0:
		p.line(0, "Nothing of another tool is in the %s that could be read.", diag.Count(r.Objects, "object"))
	case len(r.Tools) == 0:
		p.line(0, "Nothing of another tool is there, in %s.", diag.Count(r.Objects, "object"))
	}
	for i := range r.Tools {
		p.tool(&r.Tools[i])
	}
	p.mentions(r.Mentioned)
	p.failures(r.Failures)
	p.unread(r.Unread)
	for i := range r.Files {
		p.file(&r.Files[i])
	}
	return p.err
}

// printer writes lines until one fails.
type printer struct {
	w      io.Writer
	from   func(string) string
	advice string // what renders charts that were not rendered
	// byEngine: see Report.
	byEngine bool
	err      error
}

func (p *printer) line(indent int, format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, strings.Repeat("  ", indent)+format+"\n", args...)
	}
}

func (p *printer) tool(t *Tool) {
	p.line(0, "%s", t.Name)
	p.line(1, "rollstamp %s", t.Handling)
	if len(t.Found) > 0 {
		p.line(1, "found on %s:", diag.Count(t.objects(), "object"))
	}
	for i, f := range t.Found {
		if i == most && t.Setting == "" {
			p.line(2, "and %d more, which -o json lists", len(t.Found)-most)
			break
		}
		where := where(f.Where)
		if f.Unread {
			where += ", where " + t.Name + " does not read it"
		}
		if f.Values != "" {
			where += ", by values of " + f.Values
		}
		p.line(2, "%s%s: %s%s", f.Object, where, strings.Join(f.Keys, ", "), p.at(f.Place, f.App))
	}
	if n := t.inValues(); n > 0 {
		p.line(1, "not known for the %d in values, whose charts were not rendered: %s", n, p.advice)
	}
	if t.Compared {
		p.workloads("stamped, and not restarted by "+t.Name, t.OnlyStamped)
		p.workloads("restarted by "+t.Name+", and not stamped", t.OnlyTool)
		if len(t.RunAgain) > 0 {
			p.workloads("run again by "+t.Name+" at once, and here by the next run, or the sync that replaces the Job",
				t.RunAgain)
		}
		if slices.ContainsFunc(t.OnlyTool, func(w Workload) bool { return w.Elsewhere }) {
			p.line(2, "stamped for what another application renders where context: in .rollstamp.yaml names its path")
		}
		p.unrendered(t)
	}
	if len(t.Controllers)+len(t.Leftovers) > 0 {
		p.line(1, "to delete:")
	}
	for _, c := range t.Controllers {
		p.line(2, "%s: %s itself%s", c.Object, t.Name, p.at(c.Place, c.App))
		if len(c.Unread) > 0 {
			p.line(3, "not read here, so arguments that it sets are missing below: %s", strings.Join(c.Unread, ", "))
		}
	}
	for _, f := range t.Leftovers {
		p.line(2, "%s: %s%s", f.Object, f.Message, p.at(Place{f.File, f.Line, f.RenderLine}, ""))
	}
	p.line(0, "")
}

// mentions prints the files that mention tools and are no manifests.
func (p *printer) mentions(all []Mention) {
	if len(all) == 0 {
		return
	}
	if p.byEngine {
		p.line(0, "Mentioned by objects that could not be rendered:")
	} else {
		p.line(0, "Mentioned in files that no application here reads as manifests: render what reads them, as by --as argocd "+
			"or --as flux")
	}
	for i, m := range all {
		if i == most {
			p.line(1, "and %d more, which -o json lists", len(all)-most)
			break
		}
		why := ""
		if m.Failed && !p.byEngine {
			why = ", in an application that could not be rendered"
		}
		p.line(1, "%s: %s of %s%s", diag.Position{File: p.from(m.File), Line: m.Line}, strings.Join(m.Keys, ", "), m.Tool, why)
	}
}

// failures prints the applications of which nothing is known.
func (p *printer) failures(all []string) {
	if len(all) == 0 {
		return
	}
	p.line(0, "Not known: what is in %s, which could not be rendered", diag.Count(len(all), "application"))
	for i, name := range all {
		if i == most {
			p.line(1, "and %d more, which -o json lists", len(all)-most)
			break
		}
		p.line(1, "%s", name)
	}
}

// unread prints the files with values that were not looked into.
func (p *printer) unread(all []Unread) {
	if len(all) == 0 {
		return
	}
	p.line(0, "Not looked into: values of %s, in files of other sources", diag.Count(len(all), "Application"))
	for _, u := range all {
		for _, f := range u.Files {
			revision := ""
			if f.Revision != "" {
				revision = " at " + f.Revision
			}
			p.line(1, "%s: %s of %s%s%s", u.Object, f.Name, f.Repository, revision, p.at(u.Place, ""))
		}
	}
}

// where returns the part of an object as it is printed behind its name.
func where(w Where) string {
	switch w {
	case OnTemplate:
		return ", pod template"
	case InValues:
		return ", values of a chart that was not rendered"
	}
	return ""
}

func (p *printer) workloads(title string, all []Workload) {
	if len(all) == 0 {
		p.line(1, "%s: none", title)
		return
	}
	p.line(1, "%s: %d", title, len(all))
	for i, w := range all {
		if i == most {
			p.line(2, "and %d more, which -o json lists", len(all)-most)
			break
		}
		what := strings.Join(w.For, ", ")
		if w.Unrendered {
			what += ", which no application here renders"
		}
		p.line(2, "%s for %s%s", w.Object, what, p.at(w.Place, w.App))
	}
}

// unrendered says of what no application renders what is not known of it.
func (p *printer) unrendered(t *Tool) {
	isOne := func(w Workload) bool { return w.Unrendered }
	if !slices.ContainsFunc(t.OnlyTool, isOne) && !slices.ContainsFunc(t.RunAgain, isOne) {
		return
	}
	where := "in the cluster"
	if t.isMaker {
		where += ", and made by " + t.Name + ","
	}
	p.line(2, "whether what no application renders is %s is not known: if it is, a change of it restarts, and is not stamped",
		where)
}

// at returns where something is, or at least in which application.
func (p *printer) at(place Place, app string) string {
	pos := diag.Position{File: p.from(place.File), Line: place.Line, RenderLine: place.RenderLine}
	if place.File == "" {
		if app == "" {
			return ""
		}
		return " (" + app + ")"
	}
	return " (" + pos.String() + ")"
}

func (p *printer) file(f *File) {
	for _, s := range f.Standing {
		pos := diag.Position{File: p.from(s.File), Line: s.Line}
		is := func(other Setting) bool { return other.Name == s.Name }
		if i := slices.IndexFunc(f.replaces, is); i >= 0 {
			p.line(0, "%s: %s is set to other arguments than those that the controller has, and stays: %s", pos, s.Name,
				strings.Join(f.replaces[i].Value, " "))
			continue
		}
		p.line(0, "%s: %s is set already, and stays", pos, s.Name)
	}
	if len(f.Adds) == 0 {
		return
	}
	if len(f.Differing) > 0 {
		p.line(0, "Reloader's controllers have different arguments, and below are those of all: %s", strings.Join(f.Differing, "; "))
	}
	p.line(0, "# %s", p.from(f.Path))
	p.line(0, "%s", strings.TrimSuffix(f.Section(), "\n"))
}
