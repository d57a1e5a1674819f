package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// FailedApp is an application that could not be rendered, and where it goes as far as that is known: it may read what
// others have.
type FailedApp struct {
	App       string   `json:"app"`
	Cluster   Cluster  `json:"cluster,omitzero"`
	Namespace string   `json:"namespace,omitempty"` // of objects that name none; "" where that is not known
	By        []string `json:"by,omitempty"`        // the objects that describe it
	Takes     []string `json:"takes,omitempty"`     // the objects that it takes values from
	Around    []string `json:"around,omitempty"`    // the applications whose objects it looks up by its context
}

// Cluster is where an application goes.
type Cluster struct {
	Server      string `json:"server,omitempty"`
	Name        string `json:"name,omitempty"`
	Environment string `json:"environment,omitempty"` // that the configuration describes the application for
}

// UnreadConfig is a ConfigMap or Secret that changes, or what produces one, and that what could not be rendered in
// other parts of a run may read.
type UnreadConfig struct {
	Name
	Change  Change    `json:"change,omitempty"` // "" where it is on both sides
	Cluster Cluster   `json:"cluster,omitzero"`
	Space   string    `json:"space,omitempty"`   // its namespace, or the application's; "" where that is not known
	Product *Produced `json:"product,omitempty"` // what is read, of what produces it
	// Encrypted: what changes is ciphertext, which may hold the same as before.
	Encrypted bool `json:"encrypted,omitempty"`
	// Read: workloads are known to read it. Of what could not be rendered only that may read it, too, which names it.
	Read   bool     `json:"read,omitempty"`
	Namers []string `json:"namers,omitempty"` // the applications whose descriptions name it
}

// Produced is a ConfigMap or Secret that something produces.
type Produced struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"` // "" where it is not known
	Name      string `json:"name"`
}

// String returns the object as messages name it.
func (p Produced) String() string { return manifest.Describe(p.Kind, p.Namespace, p.Name) }

// read returns what is read of it.
func (u UnreadConfig) read() Produced {
	if u.Product != nil {
		return *u.Product
	}
	return Produced{u.Kind, u.Space, u.Name.Name}
}

// Described is an object that describes an application, and the namespace that this one goes to.
type Described struct {
	App    string `json:"app"`    // that renders the object
	Object string `json:"object"` // as it is named in errors
	Target string `json:"target,omitempty"`
}

// failedApps returns the applications of the new side that could not be rendered on one of the sides, by name.
func failedApps(names []string, old, now map[string]*App) (out []FailedApp) {
	for _, name := range names {
		a, before := now[name], old[name]
		if a != nil && (a.Err != nil || before != nil && before.Err != nil) {
			one := FailedApp{
				App: name, Cluster: Cluster(a.Destination), Namespace: a.Namespace, By: a.By, Around: a.Around,
			}
			for _, o := range a.Takes {
				one.Takes = append(one.Takes, manifest.Describe(o.Kind, o.Namespace, o.Name))
			}
			out = append(out, one)
		}
	}
	return out
}

// mayRead reports whether an application may read an object of another one. Target returns the namespace that an object
// of that one installs an application in.
func (f FailedApp) mayRead(u UnreadConfig, target func(object string) (space string, ok bool)) bool {
	if !u.Read && slices.Contains(f.Around, u.App) {
		return true
	}
	if app.Destination(u.Cluster).Like(app.Destination(f.Cluster)) == app.OtherCluster {
		return false
	}
	read := u.read()
	switch {
	case slices.Contains(f.Takes, read.String()), slices.Contains(u.Namers, f.App):
		return true
	case u.Read:
		return false
	}
	// Where it goes is not known of one that failed early, nor of one that goes to several namespaces. What is rendered
	// with the object may read it then; of all others that would be said of each change.
	if read.Namespace != "" && f.Namespace != "" {
		return read.Namespace == f.Namespace
	}
	return slices.ContainsFunc(f.By, func(by string) bool {
		space, ok := target(by)
		return ok && (read.Namespace == "" || space == "" || read.Namespace == space)
	})
}

// readersAmong returns that an object may be read by some of the applications, as far as it is known; not ok for none.
func (u UnreadConfig) readersAmong(
	failed []FailedApp, target func(object string) (space string, ok bool),
) (unknown Unknown, ok bool) {
	unknown = Unknown{Reason: FailedReader, App: u.App, Object: &u.Name, Change: u.Change, Encrypted: u.Encrypted}
	if u.Product != nil {
		unknown.Via = u.Product.String()
	}
	for _, f := range failed {
		if f.mayRead(u, target) {
			unknown.Readers = append(unknown.Readers, f.App)
		}
	}
	return unknown, len(unknown.Readers) > 0
}

// unread is what the search for readers that could not be rendered knows of the application that is compared.
type unread struct {
	neighbours
	space string
	named func() map[string]*object // its objects
	out   *Comparison
}

// config returns an object as it is written for other parts of the run; ok is false where the application is gone.
func (u unread) config(o *object, change Change) (c UnreadConfig, ok bool) {
	here := u.after.apps[u.names[u.index]]
	if here == nil {
		return c, false
	}
	c = UnreadConfig{Name: o.Name, Change: change, Cluster: Cluster(here.Destination)}
	c.Space = cmp.Or(o.Namespace, u.space)
	return c, true
}

// target returns the namespace that an object of the application installs another one in.
func (u unread) target(object string) (space string, ok bool) {
	described := u.named()[object]
	if described == nil {
		return "", false
	}
	return described.target(u.space), true
}

// mayBeRead adds that applications may read what changes that could not be rendered, and returns whether any may.
// Parts of a run note the object for the others.
func (u unread) mayBeRead(c UnreadConfig) bool {
	if len(u.failed) == 0 && !u.part {
		return false
	}
	if u.naming != nil {
		read := c.read()
		c.Namers = u.naming(app.Object{Kind: read.Kind, Namespace: read.Namespace, Name: read.Name}, c.File)
	}
	if u.part {
		u.out.UnreadConfigs = append(u.out.UnreadConfigs, c)
	}
	unknown, ok := c.readersAmong(u.failed, u.target)
	if ok {
		u.out.Unknown = append(u.out.Unknown, unknown)
	}
	return ok
}

// objectMayBeRead is mayBeRead for a ConfigMap or Secret, which workloads read or not.
func (u unread) objectMayBeRead(o *object, change Change, isRead bool) bool {
	c, ok := u.config(o, change)
	of := objects.Provided{Kind: c.Kind, Namespace: c.Space, Name: c.Name.Name}
	c.Read, c.Encrypted = isRead, change == "" && isCiphertext(o, of)
	return ok && u.mayBeRead(c)
}

// changed takes what is quiet of a change, but for what nobody is known to read while an application may read it that
// could not be rendered: of that it is not known what restarts.
func (u unread) changed(d *delta, all []Quiet) {
	isUnread := slices.ContainsFunc(all, Quiet.isUnread)
	if len(d.keys) > 0 && !slices.ContainsFunc(all, Quiet.isForAll) && u.objectMayBeRead(d.now, "", !isUnread) {
		all = slices.DeleteFunc(all, Quiet.isUnread)
	}
	u.out.Quiet = append(u.out.Quiet, all...)
}

// value takes a change of what others are rendered with: what it restarts is seen in these, where they could be
// rendered.
func (u unread) value(d *delta) {
	if len(d.keys) > 0 {
		u.objectMayBeRead(d.now, "", false)
	}
}

// onOneSide takes configuration that is new or removed.
func (u unread) onOneSide(all []*object, change Change, read map[*object][]reader) {
	for _, o := range all {
		if o.isConfig() && (change != Removal || !o.remains()) {
			u.objectMayBeRead(o, change, len(read[o]) > 0)
		}
	}
}

// describe notes which objects of the application describe others, where that may be asked in other parts.
func (u unread) describe() {
	if len(u.out.UnreadConfigs) == 0 {
		return
	}
	named := u.named()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if o := named[name]; isRendered(o) {
			u.out.Described = append(u.out.Described, Described{o.App, name, o.target(u.space)})
		}
	}
}

// target returns the namespace that a HelmRelease is installed in; "" where that is not known, and for other kinds.
func (o *object) target(space string) string {
	table, err := o.table()
	if err != nil || o.Kind != "HelmRelease" {
		return ""
	}
	namespace, _ := at(table, "spec")["targetNamespace"].(string)
	return cmp.Or(namespace, o.Namespace, space)
}

// readAcrossParts has what nobody reads in one part not known where an application failed in another.
func (c *Comparison) readAcrossParts() {
	type key struct{ app, object string }
	targets, maybe := map[key]string{}, map[key]bool{}
	for _, d := range c.Described {
		targets[key{d.App, d.Object}] = d.Target
	}
	c.Unknown = slices.DeleteFunc(c.Unknown, func(u Unknown) bool { return u.Reason == FailedReader })
	slices.SortFunc(c.FailedApps, func(a, b FailedApp) int { return cmp.Compare(a.App, b.App) })
	for _, u := range c.UnreadConfigs {
		unknown, ok := u.readersAmong(c.FailedApps, func(object string) (string, bool) {
			space, ok := targets[key{u.App, object}]
			return space, ok
		})
		if ok {
			c.Unknown = append(c.Unknown, unknown)
			maybe[key{u.App, u.String()}] = true
		}
	}
	c.Quiet = slices.DeleteFunc(c.Quiet, func(q Quiet) bool { return q.isUnread() && maybe[key{q.App, q.Name.String()}] })
	c.FailedApps, c.UnreadConfigs, c.Described = nil, nil, nil
}
