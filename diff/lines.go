package diff

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Complete adds to what a comparison has of the new side the lines of its objects, where only the file is known.
func (c *Comparison) Complete(lines *render.Lines) {
	name := func(n *Name) { n.File, n.Line = completePosition(lines, n.File, n.Line, n.Kind+" "+n.Name) }
	for i := range c.Restarts {
		r := &c.Restarts[i]
		name(&r.Name)
		completeCauses(lines, r.Name, r.Causes)
	}
	for i := range c.Stale {
		s := &c.Stale[i]
		name(&s.Name)
		completeCauses(lines, s.Name, s.Causes)
	}
	for _, u := range c.Unknown {
		if u.Object != nil {
			name(u.Object)
		}
	}
	for i := range c.Repeated {
		name(&c.Repeated[i].Name)
	}
	for i := range c.Quiet {
		name(&c.Quiet[i].Name)
	}
	for i := range c.Blocked {
		b := &c.Blocked[i]
		name(&b.Name)
		b.Line = lines.Field(diag.Position{File: b.File, Line: b.Line}, b.Kind, b.Name.Name, b.Path).Line
	}
	for i := range c.Objects {
		name(&c.Objects[i].Name)
	}
	for i := range c.Edges {
		name(&c.Edges[i].Config)
		name(&c.Edges[i].Workload)
	}
	for i, f := range c.Findings {
		c.Findings[i] = f.At(lines.Complete(f.Position(), f.Object))
	}
}

// CompleteGone adds to findings about protected objects the lines that these had on the old side, where only the file
// is known.
func (c *Comparison) CompleteGone(lines *render.Lines) {
	for i, f := range c.Findings {
		if isProtection(f) {
			c.Findings[i] = f.At(lines.Complete(f.Position(), f.Object))
		}
	}
}

// HasGoneFromRender reports whether a protected object is gone of which only a line of the old render is known.
func (c *Comparison) HasGoneFromRender() bool {
	return slices.ContainsFunc(c.Findings, func(f diag.Finding) bool { return isProtection(f) && f.Position().OfRender() })
}

// isProtection reports whether a finding is about a protected object that changed.
func isProtection(f diag.Finding) bool {
	return f.Code == diag.ProtectedObject || f.Code == diag.ProtectedApproved
}

// completeCauses adds the lines of the causes for which a workload restarts.
func completeCauses(lines *render.Lines, of Name, causes []Cause) {
	for i := range causes {
		cause, object := &causes[i], causes[i].Object
		if filepath.Base(cause.File) == lock.FileName {
			continue
		}
		if !strings.Contains(object, " ") {
			object = of.Kind + " " + of.Name
		}
		cause.File, cause.Line = completePosition(lines, cause.File, cause.Line, object)
	}
}

func completePosition(lines *render.Lines, file string, line int, object string) (string, int) {
	pos := lines.Complete(diag.Position{File: file, Line: line}, object)
	return pos.File, pos.Line
}
