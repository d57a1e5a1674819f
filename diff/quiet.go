package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
)

// Quiet is configuration that changes and restarts nothing.
type Quiet struct {
	Name
	Keys   []KeyChange `json:"keys"`
	Reason string      `json:"reason"`           // one of the words below
	Reader string      `json:"reader,omitempty"` // the workload that the reason is about
}

// Why configuration restarts nothing.
const (
	NotConsumed = "not-consumed"      // no workload of its application refers to it
	KeysNotRead = "keys-not-consumed" // workloads refer to it, and to none of the changed keys
	// LiveOnly is for what is read only through volumes that the kubelet updates, where no restart is asked for.
	LiveOnly = "live-volumes"
	OptedOut = "opted-out" // the object, or the workload, is switched off
	// NoRestart is for kinds of workloads that are not stamped: they start afresh anyway, or their template is immutable.
	NoRestart = "does-not-restart"
	Unknown   = "content-unknown" // its content is not known from here
)

// quiet finds configuration whose change restarts nothing, or not everything that reads it.
func (c *comparer) quiet() {
	for _, p := range c.pairs {
		keys := changedKeys(p.old.keys(), p.now.keys())
		readers := c.readers(p.now)
		for _, r := range readers {
			keys = slices.DeleteFunc(keys, func(k KeyChange) bool { return c.restartsForKey(r, p, k) })
		}
		if len(keys) == 0 {
			continue
		}
		if len(readers) == 0 {
			c.still(p.now, keys, NotConsumed, "")
			continue
		}
		found := false
		for _, r := range readers {
			if reason := c.whyNot(r, keys); reason != KeysNotRead {
				c.still(p.now, keys, reason, r.workload.Name.String())
				found = true
			}
		}
		if !found {
			c.still(p.now, keys, KeysNotRead, "")
		}
	}
}

// restartsForKey reports whether the change of a key is among the causes of the reader's restart.
func (c *comparer) restartsForKey(r reader, p pair, k KeyChange) bool {
	restart := c.restarted[r.workload]
	return restart != nil && slices.ContainsFunc(restart.Causes, func(c Cause) bool {
		return c.Reason == Config && c.Object == causeName(p) && slices.Contains(c.Keys, k)
	})
}

// causeName is how a cause names the object of a pair.
func causeName(p pair) string {
	if base, ok := baseOf(p.now.Name.Name); ok && p.old.Name.Name != p.now.Name.Name {
		return p.now.Kind + " " + base
	}
	return p.now.Kind + " " + p.now.Name.Name
}

func (c *comparer) still(o *object, keys []KeyChange, reason, reader string) {
	c.out.Quiet = append(c.out.Quiet, Quiet{Name: o.Name, Keys: keys, Reason: reason, Reader: reader})
}

// reader is a workload that refers to an object.
type reader struct {
	workload  *object
	reference *plan.Reference
}

// readers lists the workloads of the new side that refer to an object.
func (c *comparer) readers(config *object) []reader {
	var out []reader
	for _, o := range c.now[config.App].all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			if r.Kind == config.Kind && r.Name == config.Name.Name &&
				find(c.now, config.App, r.Kind, r.Namespace, r.Name) == config {
				out = append(out, reader{o, r})
			}
		}
	}
	return out
}

// restartsFor reports whether the change of a pair is among the causes of the reader's restart.
func (c *comparer) restartsFor(r reader, p pair) bool {
	restart := c.restarted[r.workload]
	return restart != nil && slices.ContainsFunc(restart.Causes,
		func(c Cause) bool { return c.Reason == Config && c.Object == causeName(p) })
}

// whyNot returns why the change of an object does not restart one of its readers.
func (c *comparer) whyNot(r reader, changed []KeyChange) string {
	ref := r.reference
	has := func(code diag.Code) bool {
		return slices.ContainsFunc(ref.Findings, func(f diag.Finding) bool { return f.Code == code })
	}
	switch {
	case ref.Keys != nil && !slices.ContainsFunc(changed,
		func(k KeyChange) bool { return slices.Contains(ref.Keys, k.Key) }):
		return KeysNotRead
	case has(diag.Ignored):
		return OptedOut
	case !r.workload.workload.Stamped && c.onRequest(r.workload):
		return NoRestart
	case !r.workload.workload.Stamped:
		return OptedOut
	case has(diag.PullSecret):
		return KeysNotRead
	case ref.Digest == "" && strings.Contains(ref.Source, "/"):
		return Unknown
	case ref.Digest == "":
		return LiveOnly
	}
	return KeysNotRead
}

// onRequest reports whether workloads of the object's kind are stamped only on request.
func (c *comparer) onRequest(o *object) bool {
	return slices.ContainsFunc(c.rows(o), func(k *refs.Kind) bool { return k.Stamping != refs.ByDefault })
}

// Edge is a ConfigMap, Secret or what makes one, and a workload that reads it.
type Edge struct {
	Config   Name     `json:"config"`
	Workload Name     `json:"workload"`
	Keys     []string `json:"keys"` // null: all
	Changed  bool     `json:"changed,omitempty"`
	Restarts bool     `json:"restarts,omitempty"`
}

// edges lists who reads what on the new side, of applications in which something changes.
func (c *comparer) edges() {
	changed := map[*object]*pair{}
	for i := range c.pairs {
		changed[c.pairs[i].now] = &c.pairs[i]
	}
	for _, app := range c.out.Apps {
		if app.Status == Same || app.Status == Failed {
			continue
		}
		for _, o := range c.now[app.Name].all {
			if o.workload == nil {
				continue
			}
			for i := range o.workload.References {
				c.edge(app.Name, o, &o.workload.References[i], changed)
			}
		}
	}
	for _, r := range c.restarted {
		c.out.Restarts = append(c.out.Restarts, *r)
	}
}

func (c *comparer) edge(app string, o *object, r *plan.Reference, changed map[*object]*pair) {
	e := Edge{Config: Name{App: app, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, Workload: o.Name, Keys: r.Keys}
	if config := find(c.now, app, r.Kind, r.Namespace, r.Name); config != nil {
		e.Config = config.Name
		if p := changed[config]; p != nil {
			e.Changed = len(changedKeys(p.old.keys(), p.now.keys())) > 0
			e.Restarts = c.restartsFor(reader{o, r}, *p)
		}
	}
	c.out.Edges = append(c.out.Edges, e)
}
