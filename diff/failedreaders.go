package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/app"
)

// failedReaders returns what is quiet of a change, but for what nobody is known to read while an application may read
// it that could not be rendered: of that it is not known what restarts. Named returns the objects of the application
// that is compared by their names.
func (n neighbours) failedReaders(
	d *delta, space string, named func() map[string]*object, all []Quiet,
) (quiet []Quiet, unknown []Unknown) {
	if !slices.ContainsFunc(all, Quiet.isUnread) {
		return all, nil
	}
	readers := n.mayReadIt(d.now, space, named)
	if len(readers) == 0 {
		return all, nil
	}
	unknown = []Unknown{{Reason: FailedReader, App: d.now.App, Object: &d.now.Name, Readers: readers}}
	return slices.DeleteFunc(all, Quiet.isUnread), unknown
}

// failedReadersOf returns that applications may read configuration which could not be rendered, where it is new or
// removed and nobody is known to read it.
func (n neighbours) failedReadersOf(
	all []*object, change Change, read map[*object][]reader, space string, named func() map[string]*object,
) (unknown []Unknown) {
	for _, o := range all {
		if !o.isConfig() || len(read[o]) > 0 || change == Removal && o.remains() {
			continue
		}
		if readers := n.mayReadIt(o, space, named); len(readers) > 0 {
			unknown = append(unknown,
				Unknown{Reason: FailedReader, App: o.App, Object: &o.Name, Readers: readers, Change: change})
		}
	}
	return unknown
}

// mayReadIt returns the applications that could not be rendered and may read an object.
func (n neighbours) mayReadIt(o *object, space string, named func() map[string]*object) (readers []string) {
	for _, name := range n.names {
		if n.mayRead(name, o, space, named) {
			readers = append(readers, name)
		}
	}
	return readers
}

// mayRead reports whether an application could not be rendered that may read an object of the one that is compared.
func (n neighbours) mayRead(name string, o *object, space string, named func() map[string]*object) bool {
	reader, here := n.after.apps[name], n.after.apps[n.names[n.index]]
	if before := n.before.apps[name]; reader == nil || reader.Err == nil && (before == nil || before.Err == nil) {
		return false
	}
	if here == nil || here.Destination.Like(reader.Destination) == app.OtherCluster {
		return false
	}
	// Where it goes is not known of one that failed early, nor of one that goes to several namespaces. What is rendered
	// with the object may read it then; of all others that would be said of each change.
	if namespace := cmp.Or(o.Namespace, space); namespace != "" && reader.Namespace != "" {
		return namespace == reader.Namespace
	}
	return slices.ContainsFunc(reader.By, func(by string) bool {
		described := named()[by]
		if described == nil {
			return false
		}
		namespace, target := cmp.Or(o.Namespace, space), described.target(space)
		return namespace == "" || target == "" || namespace == target
	})
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
