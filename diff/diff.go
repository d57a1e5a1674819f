// Package diff compares two sides, each an application or many as rendered and stamped: which workloads restart, and
// why.
package diff

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Schema is the version of the JSON that a Comparison encodes to. A field is added within a version, never removed or
// changed.
const Schema = 1

// App is one application on one side.
type App struct {
	Name   string           // by which it is found on the other side
	Result *pipeline.Result // stamped; nil where Err is set
	AsIs   bool             // the text of Result.Output counts as it is, with the stamps that it has or has not
	Err    error
}

// Side is everything on one side, by the names of the applications.
type Side struct {
	Label string // a revision, a folder, a file: as the user named it
	Apps  []App
}

// Comparison is what changes from one side to the other. Every report is made of it, and it can be encoded as JSON
// and read again. It holds no value of a Secret.
type Comparison struct {
	Schema   int            `json:"schema"`
	From     string         `json:"from"` // labels of the sides
	To       string         `json:"to"`
	Apps     []AppChange    `json:"apps"`     // all, by name
	Restarts []Restart      `json:"restarts"` // by application, kind, namespace and name
	Quiet    []Quiet        `json:"quiet"`    // configuration that changes and restarts nothing
	Objects  []ObjectChange `json:"objects"`
	Edges    []Edge         `json:"edges"`    // configuration that changes, and who reads it
	Findings []diag.Finding `json:"findings"` // that the new side has and the old one has not
}

// Status is what became of an application.
type Status string

// The states of an application.
const (
	Same    Status = "same"
	Changed Status = "changed"
	Added   Status = "added"
	Removed Status = "removed"
	Failed  Status = "failed"
)

// AppChange is an application on both sides.
type AppChange struct {
	Name     string    `json:"name"`
	Status   Status    `json:"status"`
	From     int       `json:"from"` // objects
	To       int       `json:"to"`
	Problems []Problem `json:"problems,omitempty"`
}

// Problem reports why one side of an application could not be rendered.
type Problem struct {
	Side  string `json:"side"` // "from" or "to"
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

// Name is the identity of an object, and its place.
type Name struct {
	App       string `json:"app,omitempty"`
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"` // "" where it is not known
	Name      string `json:"name"`
	File      string `json:"file,omitempty"` // on the new side, or on the old one where it is gone
	Line      int    `json:"line,omitempty"`
}

// String returns "Kind namespace/name".
func (n Name) String() string {
	if n.Namespace == "" {
		return n.Kind + " " + n.Name
	}
	return n.Kind + " " + n.Namespace + "/" + n.Name
}

func (n Name) compare(o Name) int {
	return cmp.Or(cmp.Compare(n.App, o.App), cmp.Compare(n.Kind, o.Kind), cmp.Compare(n.Namespace, o.Namespace),
		cmp.Compare(n.Name, o.Name),
		cmp.Compare(n.Group, o.Group))
}

// Restart is a workload whose pods are replaced, or would be.
type Restart struct {
	Name
	// Noise: nothing that a container reads has changed.
	Noise   bool    `json:"noise"`
	Rollout Rollout `json:"rollout"`
	Causes  []Cause `json:"causes"` // those with a meaning first
}

// Compare compares two sides. An application that could not be rendered on one of them is listed as such, and the
// others are compared.
func Compare(from, to Side) (*Comparison, error) {
	c := newComparer(&Comparison{Schema: Schema, From: from.Label, To: to.Label, Apps: []AppChange{},
		Restarts: []Restart{}, Quiet: []Quiet{},
		Objects: []ObjectChange{}, Edges: []Edge{}, Findings: []diag.Finding{}})
	old, err := byName(from)
	if err != nil {
		return nil, err
	}
	now, err := byName(to)
	if err != nil {
		return nil, err
	}
	for _, name := range names(old, now) {
		if err := c.app(name, old[name], now[name]); err != nil {
			return nil, err
		}
	}
	c.generated()
	if err := c.compare(); err != nil {
		return nil, err
	}
	c.out.sort()
	return c.out, nil
}

func byName(s Side) (map[string]*App, error) {
	out := make(map[string]*App, len(s.Apps))
	for i := range s.Apps {
		a := &s.Apps[i]
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

// sort puts everything into the order that reports show.
func (o *Comparison) sort() {
	slices.SortFunc(o.Restarts, func(a, b Restart) int { return a.compare(b.Name) })
	slices.SortFunc(o.Quiet, func(a, b Quiet) int {
		return cmp.Or(a.compare(b.Name), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Reader, b.Reader))
	})
	slices.SortFunc(o.Objects, func(a, b ObjectChange) int { return a.compare(b.Name) })
	slices.SortFunc(o.Edges, func(a, b Edge) int {
		return cmp.Or(a.Config.compare(b.Config),
			a.Workload.compare(b.Workload))
	})
	o.Findings = diag.Sort(o.Findings)
}

// Differs reports whether anything is different.
func (c *Comparison) Differs() bool { return len(c.Objects) > 0 || len(c.Restarts) > 0 }

// Failed reports whether an application could not be rendered on one of the sides.
func (c *Comparison) Failed() bool {
	return slices.ContainsFunc(c.Apps, func(a AppChange) bool { return a.Status == Failed })
}
