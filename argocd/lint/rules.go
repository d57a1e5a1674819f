package lint

import (
	"github.com/rollstamp/rollstamp/argocd"
)

// Rules describe the plugin that files are checked for.
type Rules struct {
	// Plugin is the name under which Applications use rollstamp.
	Plugin string
	// Parameters are the names that the plugin accepts, each with its collection: string, array or map. If it is nil,
	// names are not checked.
	Parameters map[string]string
	// Prefixes are the beginnings of further names, which are strings: "parameters." for "parameters.image.tag".
	Prefixes []string
	// Looked is what was seen of each Application or ApplicationSet, by its name as errors write it.
	Looked map[string]*Looked
	// Unread is why no Application of the file was looked into; nil if they were.
	Unread error
	// Read reads a file by its path from the folder of the one that is checked, and says how messages name it; nil where
	// there is none to read.
	Read func(name string) (text []byte, shown string, err error)
	// Variable returns what rollstamp says to the value of one of its variables; nil where they are not checked.
	Variable func(name, value string) error
	// Command returns what rollstamp says to the words behind its name; nil where they are not checked.
	Command func(args []string) error
	// IsTemplate: the file is a template of a chart, whose values are filled in later.
	IsTemplate bool
}

// Looked is what was found out about an Application or an ApplicationSet by looking into repositories.
type Looked struct {
	Fields   []Field
	Sources  []Seen
	Unjudged []Unjudged
	Made     []Made // that a set makes of its template
}

// Made is an Application of a set: what fields of its template become.
type Made struct {
	Name           string
	Spec, Metadata map[string]any
}

// Unjudged is why something of an object was not looked into.
type Unjudged struct {
	Err       error
	Generator int // of an ApplicationSet, from 0; -1 where it is about the whole object
	// whether the object may be right, and what it needs is not known here
	Unknown bool
	// whether that is a word which this version does not know, and a newer Argo CD may
	New bool
}

// Field is why an object is refused for one of its fields.
type Field struct {
	Path      []any // in an Application, or in the template of a set
	Err       error
	Elsewhere bool // another file may have what is missing
}

// Seen is what was found out about a source by looking into its repository.
type Seen struct {
	Of        string // the Application that it was seen of, of those that a set makes
	Source    int    // its place among those that are rendered, from 0
	Elsewhere error  // why its files cannot be had here, and nothing was looked into
	ByRefs    bool   // what its option refs names is elsewhere, and not the source itself
	// Find returns the text that a message is about, in an Application that a set makes; it is nil for others.
	Find      func(message string) Found
	Refused   error    // why the plugin refuses it, or Argo CD; nil if none does
	Invalid   error    // why Argo CD refuses it, where it is no part of a patch for another object
	Unstable  []string // objects that differ from one render to the next
	Uncovered []string // files that it reads, from the repository's top, and that the annotation leaves out
	Rolling   []string // workloads among them whose pods restart by that
	Rendered  bool     // whether it was rendered, without an error
	Stamped   []Workload
}

// Found is a text of a source; without a path it is none.
type Found struct {
	Path []any
	Text string
	Line int // where the set has it; 0 where that is not known
}

// Workload is one that is rendered with stamps.
type Workload struct {
	Kind, Name string
	Namespace  string // "" where it is not known
}

// RulesFor returns the rules for Applications that use rollstamp under the name of a plugin.
func RulesFor(plugin string) Rules {
	rules := Rules{Plugin: plugin, Parameters: map[string]string{}}
	for _, o := range argocd.Options() {
		rules.Parameters[o.Name] = string(o.Collection)
		if o.Collection == argocd.Map {
			rules.Prefixes = append(rules.Prefixes, o.Name+".")
		}
	}
	return rules
}
