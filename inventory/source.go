package inventory

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

// Builder builds the application at a path, with what a rule of the configuration says of it.
type Builder interface {
	fleet.Builder
	// For returns the builder of an application that a rule describes. What the user sets by a flag counts before it.
	For(rule Rule) fleet.Builder
}

// Rule is a rule of the configuration for one application in one environment.
type Rule struct {
	config.AppRule               // with the environment filled in
	Pos            diag.Position // of the rule
	Top            string        // the repository, where values files with a leading slash lie
	number         int           // among those of its file
}

// isSame reports whether two rules are one: a line of a file may have several.
func (r *Rule) isSame(other *Rule) bool { return r.Pos == other.Pos && r.number == other.number }

// Adapter returns the applications that the objects in files describe, as an engine that applies them reads them.
type Adapter func(ctx context.Context, at app.Place, paths []string) (app.Described, error)

// Source is the applications of a run, as an app.Source.
type Source struct {
	Builder  Builder
	Adapters map[config.AppKind]Adapter
	Place    app.Place
	Patterns []string // as the user wrote them: paths, globs, names PATH@ENV; none is the working folder
	// As is the adapter that takes the patterns; "" leaves that to the configuration.
	As config.AppKind
	// Absent takes patterns and rules that fit nothing: on the other side of a comparison there may be something.
	Absent bool

	before  reuse
	list    sync.Mutex
	isDone  bool // all are listed
	err     error
	names   []string
	pattern string   // the one that is listed
	unfit   []string // the patterns that fit nothing, under Absent
	none    error    // the last reason, under Absent, why an engine's objects describe no application; nil for none
	members map[string]member
	listed  map[[2]string]bool // by identity
	rules   config.AppsFinder
	adapted map[string]app.Described // by what they were asked for
	absent  map[string]absent        // by the folders of configuration files, as Covers finds it
}

// reuse is another state of the same files, whose applications are taken over where they are unchanged.
type reuse struct {
	of   *Source
	same func(a *app.Application, read []string) bool
}

// member is one application.
type member struct {
	source app.Described // of an engine's objects, which has it under the same name; nil for one at a path
	path   string        // as it is read from the working folder
	by     string        // the pattern that names it
	rule   *Rule         // nil where nothing is said of it
}

// identity returns what two members with other names, of which one is another spelling of the other, have in common:
// the path and the environment.
func (m member) identity() [2]string {
	env := ""
	if m.rule != nil && len(m.rule.Envs) > 0 {
		env = string(m.rule.Envs[0])
	}
	return [2]string{filepath.Clean(m.path), env}
}

// position returns where the configuration describes a member; the zero value where it does not.
func (m member) position() diag.Position {
	if m.rule == nil {
		return diag.Position{}
	}
	return m.rule.Pos
}

// what names a member in an error about its name.
func (m member) what() string {
	if m.source != nil {
		return "an Application"
	}
	return "the path " + m.path
}

// add adds a member, or returns an error where its name is taken.
func (s *Source) add(name string, m member) error {
	before, taken := s.members[name]
	if !taken {
		if m.source == nil {
			if s.listed[m.identity()] {
				return nil // the same path in another spelling
			}
			s.listed[m.identity()] = true
		}
		m.by = s.pattern
		s.names, s.members[name] = append(s.names, name), m
		return nil
	}
	switch {
	case before.source != m.source:
		return diag.UsageAt(cmp.Or(m.position(), before.position()),
			fmt.Errorf("application %s is described in two places: %s and %s", name, before.what(), m.what()),
			"Give one of them another name, or another folder.")
	case before.rule == nil || m.rule == nil || before.rule.isSame(m.rule):
		return nil // named twice by the user, or by a pattern that fits what another one names
	}
	return diag.UsageAt(m.rule.Pos, fmt.Errorf("application %s is described twice, first at %s", name, before.rule.Pos),
		"Keep one of them, or give them environments of their own.")
}
