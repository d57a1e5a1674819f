package diff

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/refs"
)

// namespaces are those of the objects that name none, by application: "" where that is not known.
type namespaces struct{ old, now map[string]*App }

func (n namespaces) before(app string) string {
	if was := n.old[app]; was != nil {
		return was.Namespace
	}
	return ""
}

func (n namespaces) after(app string) string {
	if is := n.now[app]; is != nil {
		return is.Namespace
	}
	return n.before(app)
}

// put names the objects of a comparison by the namespace that they have in the cluster, as all other reports do.
func (n namespaces) put(c *Comparison) {
	for i := range c.Blocked {
		n.name(&c.Blocked[i].Name)
	}
	for i := range c.Repeated {
		n.name(&c.Repeated[i].Name)
	}
	for i := range c.Restarts {
		n.name(&c.Restarts[i].Name)
	}
	for i := range c.Stale {
		n.name(&c.Stale[i].Name)
	}
	for i := range c.Quiet {
		q := &c.Quiet[i]
		n.reader(q)
		n.name(&q.Name)
	}
	for i := range c.Unknown {
		n.unknown(&c.Unknown[i])
	}
	for i := range c.Objects {
		o := &c.Objects[i]
		n.in(&o.Name, n.of(o.App, o.Change))
	}
	for i := range c.Unstable {
		n.name(&c.Unstable[i].Name)
	}
	for i := range c.Edges {
		n.name(&c.Edges[i].Config)
		n.name(&c.Edges[i].Workload)
	}
	for i := range c.UnreadConfigs {
		u := &c.UnreadConfigs[i]
		n.in(&u.Name, n.of(u.App, u.Change))
	}
}

// of returns the namespace in which an application's object changes.
func (n namespaces) of(app string, change Change) string {
	if change == Removal {
		return n.before(app)
	}
	return n.after(app)
}

func (n namespaces) name(of *Name) { n.in(of, n.after(of.App)) }

func (n namespaces) in(of *Name, space string) {
	if of.Namespace == "" && !refs.IsOfCluster(of.Group, of.Kind) {
		of.Namespace = space
	}
}

// unknown names the object of what is not known, which others may have as well.
func (n namespaces) unknown(u *Unknown) {
	if u.Object == nil {
		return
	}
	of := *u.Object
	n.in(&of, n.of(of.App, u.Change))
	u.Object = &of
}

// reader names the workload that the reason of what is quiet is about.
func (n namespaces) reader(q *Quiet) {
	space := n.after(cmp.Or(q.ReaderApp, q.App))
	if kind, name, ok := strings.Cut(q.Reader, " "); ok && !strings.Contains(name, "/") && space != "" {
		q.Reader = kind + " " + space + "/" + name
	}
}
