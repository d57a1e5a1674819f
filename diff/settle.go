package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// settle completes a comparison of which all parts are there.
func (c *Comparison) settle() {
	movesTo := c.moves()
	isMoved := func(b Blocked) bool { return movesTo(b) != "" }
	c.followMoves(movesTo)
	c.Blocked = slices.DeleteFunc(c.Blocked, isMoved)
	c.Unknown = slices.DeleteFunc(c.Unknown, func(u Unknown) bool {
		return u.Reason == Uncertain && isMoved(Blocked{Name: *u.Object, Reason: Gone, Object: u.Gone})
	})
	c.withoutRestarting()
	c.withoutRepeated()
	c.settleEdges()
	c.withoutRead()
	for i := range c.Quiet {
		if c.Quiet[i].Keys == nil {
			c.Quiet[i].Keys = []KeyChange{} // it is written as a list
		}
	}
	c.Unknown = append(c.Unknown, movedWorkloads(c.Objects)...)
	c.sort()
}

// replaced returns the workloads whose pods are replaced, by application and name.
func (c *Comparison) replaced() map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, r := range c.Restarts {
		if r.Rollout.Replaces() {
			out[[2]string{r.App, r.Name.String()}] = true
		}
	}
	return out
}

// settleEdges takes back that a change restarts a reader whose pods stay: it has no replicas, or its own change is
// refused.
func (c *Comparison) settleEdges() {
	restarts := c.replaced()
	for i := range c.Edges {
		e := &c.Edges[i]
		e.Restarts = e.Restarts && restarts[[2]string{e.Workload.App, e.Workload.String()}]
	}
}

// withoutRestarting leaves out what workloads of other applications read that restart in the same comparison, or whose
// stamps of it are stale.
func (c *Comparison) withoutRestarting() {
	restarts, stale := c.replaced(), map[[3]string]bool{}
	for _, s := range c.Stale {
		for _, cause := range s.Causes {
			stale[[3]string{s.App, s.Name.String(), cause.Object}] = true
		}
	}
	c.Quiet = slices.DeleteFunc(c.Quiet, func(q Quiet) bool {
		return q.Reason == ReadElsewhere && (restarts[[2]string{q.ReaderApp, q.Reader}] ||
			stale[[3]string{q.ReaderApp, q.Reader, q.Kind + " " + q.Name.Name}])
	})
}

// withoutRead takes the keys for which workloads of other applications restart out of what is said to be read by
// nobody: a part of a run knows nothing of them.
func (c *Comparison) withoutRead() {
	type key struct{ app, kind, name string }
	readers := map[key][]*Edge{}
	for i := range c.Edges {
		if e := &c.Edges[i]; e.Restarts && e.Workload.App != e.Config.App {
			of := key{e.Config.App, e.Config.Kind, e.Config.Name}
			readers[of] = append(readers[of], e)
		}
	}
	c.Quiet = withoutKeys(c.Quiet, func(q Quiet, k KeyChange) bool {
		return slices.ContainsFunc(readers[key{q.App, q.Kind, q.Name.Name}], func(e *Edge) bool {
			return e.Config.Group == q.Group && isSameSpace(e.Config.Namespace, q.Namespace) && isAmong(e.Keys, k.Key)
		})
	})
}

// followMoves records of what is gone, and is read, to which application it has come.
func (c *Comparison) followMoves(movesTo func(Blocked) string) {
	for i := range c.Restarts {
		r := &c.Restarts[i]
		for k := range r.Causes {
			if cause := &r.Causes[k]; cause.Exists == Removal && cause.Why == "" {
				cause.MovedTo = movesTo(Blocked{Name: r.Name, Reason: Gone, Object: cause.Object})
			}
		}
	}
}

// moves returns what returns the application to which an object has come that is gone from another one; "" for none.
func (c *Comparison) moves() func(Blocked) string {
	added := map[string][]Name{}
	for _, o := range c.Objects {
		if o.Change == Addition && (o.Group == "" || isNeeded(o.Name)) {
			key := o.Kind + " " + o.Name.Name
			added[key] = append(added[key], o.Name)
		}
	}
	return func(b Blocked) string {
		if b.Reason != Gone && b.Reason != Deleted {
			return ""
		}
		object, namespace := b.Object, b.Namespace
		if b.Of != "" {
			object, namespace = original(b.Of)
		}
		i := slices.IndexFunc(added[object], func(n Name) bool {
			return n.App != b.App && (n.Namespace == namespace || n.Namespace == "" || namespace == "")
		})
		if i < 0 {
			return ""
		}
		return added[object][i].App
	}
}

// original returns what Blocked.Of says as "Kind name", and its namespace.
func original(of string) (object, namespace string) {
	kind, name, _ := strings.Cut(of, " ")
	if space, rest, ok := strings.Cut(name, "/"); ok {
		namespace, name = space, rest
	}
	return kind + " " + name, namespace
}

// sort puts everything into the order that reports show.
func (c *Comparison) sort() {
	slices.SortFunc(c.Apps, func(a, b AppChange) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Blocked, func(a, b Blocked) int {
		return cmp.Or(a.compare(b.Name), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Object, b.Object),
			cmp.Compare(a.Of, b.Of), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Path, b.Path))
	})
	c.Blocked = slices.Compact(c.Blocked)
	slices.SortFunc(c.Repeated, func(a, b Repeated) int { return a.compare(b.Name) })
	slices.SortFunc(c.Restarts, func(a, b Restart) int { return a.compare(b.Name) })
	slices.SortFunc(c.Stale, func(a, b Stale) int { return a.compare(b.Name) })
	slices.SortStableFunc(c.Quiet, Quiet.compare)
	c.Quiet = slices.CompactFunc(c.Quiet, func(a, b Quiet) bool { // what several applications read of a rotation
		return a.Reason == ReadElsewhere && a.compare(b) == 0
	})
	slices.SortFunc(c.Unknown, Unknown.compare)
	c.Unknown = slices.CompactFunc(c.Unknown, func(a, b Unknown) bool { return a.compare(b) == 0 })
	slices.SortFunc(c.Objects, func(a, b ObjectChange) int {
		return cmp.Or(a.compare(b.Name), cmp.Compare(b.Change, a.Change)) // removed, then added
	})
	slices.SortFunc(c.Unstable, func(a, b Unstable) int { return a.compare(b.Name) })
	slices.SortFunc(c.Edges, func(a, b Edge) int {
		return cmp.Or(a.Config.compare(b.Config), a.Workload.compare(b.Workload))
	})
	c.Findings = diag.Sort(c.Findings)
}

func (u Unknown) compare(o Unknown) int {
	var a, b Name
	if u.Object != nil {
		a = *u.Object
	}
	if o.Object != nil {
		b = *o.Object
	}
	return cmp.Or(cmp.Compare(u.Reason, o.Reason), cmp.Compare(u.App, o.App), a.compare(b), cmp.Compare(u.Via, o.Via),
		cmp.Compare(u.File, o.File), cmp.Compare(u.Change, o.Change),
		cmp.Compare(u.Gone, o.Gone))
}
