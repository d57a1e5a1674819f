// Package migrate reports what the rendered applications of a repository have from other tools that restart workloads,
// and what changes when rollstamp replaces these.
package migrate

import (
	"context"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
)

// Schema is the version of the JSON that a Report encodes to. A field is added within a version, never removed or
// changed.
const Schema = 1

// Report is what was found of other tools, and the settings that go with it.
type Report struct {
	Schema int    `json:"schema"`
	Tools  []Tool `json:"tools"` // those of which something is there
	Files  []File `json:"files"` // configuration files that need settings
	// Mentioned are files that no application of the run reads as manifests.
	Mentioned []Mention `json:"mentioned,omitempty"`
	// Unread are Applications whose values lie in files of other sources that were not looked into.
	Unread []Unread `json:"unread,omitempty"`
	// Objects counts what was rendered and looked at.
	Objects int `json:"objects"`
	// ByEngine: it is what objects of an engine describe, and charts that were not rendered are those that failed.
	ByEngine bool `json:"-"`
	Failed   bool `json:"failed,omitempty"` // some applications could not be rendered, and are not reported
	// Failures are the names of these applications.
	Failures []string `json:"failures,omitempty"`
}

// Tool is another tool of which something is there.
type Tool struct {
	Name        string         `json:"name"`
	Setting     string         `json:"setting,omitempty"`  // that has it honoured; none where nothing has to be set
	Handling    string         `json:"handling"`           // what rollstamp does with what is there
	Controllers []Controller   `json:"controllers"`        // that run the tool itself
	Found       []Found        `json:"found"`              // what is there, by object
	Compared    bool           `json:"compared"`           // whether it restarts workloads, so that there are lists
	OnlyStamped []Workload     `json:"onlyStamped"`        // would be stamped for what the tool does not restart them for
	OnlyTool    []Workload     `json:"onlyTool"`           // the tool restarts them, and they would not be stamped
	RunAgain    []Workload     `json:"runAgain,omitempty"` // jobs that the tool runs again at once, and rollstamp does not
	Leftovers   []diag.Finding `json:"leftovers"`          // what it wrote, and its policies

	isMaker bool // it restarts workloads for Secrets that it makes itself
}

// inValues returns how many of what was found are values of charts that were not rendered.
func (t *Tool) inValues() (n int) {
	for _, f := range t.Found {
		if f.Where == InValues {
			n++
		}
	}
	return n
}

// objects returns on how many objects something was found.
func (t *Tool) objects() int {
	objects := map[[2]string]bool{}
	for _, f := range t.Found {
		objects[[2]string{f.App, f.Object}] = true
	}
	return len(objects)
}

// Place is where something is.
type Place struct {
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	RenderLine int    `json:"renderLine,omitempty"` // in the text that was made of File, where its line there is not known
}

// Controller is an object that runs a tool, or a chart with it.
type Controller struct {
	App       string   `json:"app"`
	Object    string   `json:"object"`
	Arguments []string `json:"arguments"` // that change what it restarts
	// Unread are where it takes values from that are not read here: Arguments lack what they set.
	Unread []string `json:"unread,omitempty"`
	Place
}

// Found is what one object has of a tool.
type Found struct {
	App    string   `json:"app"`
	Object string   `json:"object"`
	Where  Where    `json:"where"`
	Keys   []string `json:"keys"` // annotations, or fields
	// Values is the release whose values have all of them, so that Place is that of the release; none for others.
	Values string `json:"values,omitempty"`
	Unread bool   `json:"unread,omitempty"` // the tool does not read annotations there
	Place
}

// Where is the part of an object that something was found in.
type Where string

// The parts.
const (
	OnWorkload Where = "workload"
	OnTemplate Where = "template"
	OnObject   Where = "object"
	InValues   Where = "values" // of a chart, which were not rendered
)

// Workload is a workload that either rollstamp or a tool restarts.
type Workload struct {
	App    string   `json:"app"`
	Object string   `json:"object"`
	For    []string `json:"for"` // the objects that it is restarted for
	// Elsewhere: other applications of the run render these, so that no stamp has them unless context: names those.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Unrendered: no application of the run renders these, and whether they are in the cluster is not known.
	Unrendered bool `json:"unrendered,omitempty"`
	Place
}

// New reports what rendered applications have of other tools.
func New(ctx context.Context, apps []fleet.Rendered) (*Report, error) {
	m := &migration{tools: tools(), rendered: map[Place]*valued{}, elsewhere: map[valuesAt]bool{}}
	members := make([]*fleet.Member, len(apps))
	for i, a := range apps {
		members[i] = fleet.MemberOf(a.App, a.Result)
		trace := pipeline.NewTrace(ctx, a.App, a.Result.Output)
		if pos := a.App.Origin().Pos; pos.File != "" {
			m.rendered[Place{File: pos.File, Line: pos.Line}] = &valued{}
		}
		m.apps = append(m.apps, &application{Rendered: a, name: a.App.Name(), index: i, trace: trace})
	}
	m.members, m.neighbours = members, fleet.NewNeighbours(members)
	if err := m.readControllers(ctx); err != nil {
		return nil, err
	}
	return m.report(ctx)
}

// migration is the look at all applications.
type migration struct {
	tools []tool
	apps  []*application
	// neighbours are the applications by their indexes, as each other's.
	neighbours *fleet.Neighbours
	members    []*fleet.Member
	provided   map[name][]provided // by kind and name; nil until it is asked for
	args       []string            // of Reloader's controllers, those of all
	// controllers are Reloader's, in all applications.
	controllers []Controller
	// rendered are the objects that applications of the run are rendered from, by their places.
	rendered map[Place]*valued
	// elsewhere are the values of releases that were not rendered, in ConfigMaps and Secrets.
	elsewhere map[valuesAt]bool
	unread    []Unread
}

// application is one application with what it has of the tools, by their indexes.
type application struct {
	fleet.Rendered
	name  string
	index int // among all
	trace *pipeline.Trace
	signs signs // in its text
	uses  []uses
}

// uses is what an application has of a tool.
type uses struct {
	controllers []Controller
	found       []Found
	leftovers   []diag.Finding
	asked       asked
}

func (u *uses) isEmpty() bool { return len(u.controllers)+len(u.found)+len(u.leftovers) == 0 }

// place returns where an object is.
func (a *application) place(pos diag.Position, object string) Place {
	p := a.trace.At(pos, object)
	return Place{p.File, p.Line, p.RenderLine}
}

// report compares, and puts together what was found.
func (m *migration) report(ctx context.Context) (*Report, error) {
	for _, a := range m.apps {
		if err := m.scan(ctx, a); err != nil {
			return nil, err
		}
	}
	if err := m.scanElsewhere(ctx); err != nil {
		return nil, err
	}
	for _, a := range m.apps {
		m.findInValues(a)
	}
	present := make([]bool, len(m.tools))
	for _, a := range m.apps {
		for i := range m.tools {
			present[i] = present[i] || !a.uses[i].isEmpty()
		}
	}
	r := &Report{Schema: Schema, Tools: []Tool{}, Files: []File{}, Unread: m.unread}
	for _, a := range m.apps {
		r.Objects += len(a.Result.Objects.Positions())
	}
	byTool := make([]*Tool, len(m.tools))
	for i, t := range m.tools {
		if present[i] {
			byTool[i] = &Tool{Name: t.name, Setting: t.setting, Handling: t.handling, Compared: t.restarts != nil,
				Controllers: []Controller{}, Found: []Found{}, OnlyStamped: []Workload{}, OnlyTool: []Workload{},
				Leftovers: []diag.Finding{}}
		}
	}
	for _, a := range m.apps {
		if err := m.compare(ctx, a, byTool); err != nil {
			return nil, err
		}
	}
	for _, t := range byTool {
		if t != nil {
			if n := t.inValues(); n > 0 && n == len(t.Found) && len(t.OnlyStamped)+len(t.OnlyTool) == 0 {
				t.Compared = false
			}
			r.Tools = append(r.Tools, *t)
		}
	}
	var err error
	r.Files, err = m.files(byTool)
	return r, err
}

// reloaderArgs returns the arguments as a setting.
func (m *migration) reloaderArgs() (out []config.NonEmpty) {
	for _, arg := range m.args {
		out = append(out, config.NonEmpty(arg))
	}
	return out
}
