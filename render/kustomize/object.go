package kustomize

import "github.com/rollstamp/rollstamp/files"

// object is one that a build is expected to hold.
type object struct {
	group, kind string
	name        string
	original    string // its name before it was renamed
	own         string // the namespace that it names itself
	namespace   string // where the kustomizations put it, if it has a namespace
	file        string // "" where that is not known
	line        int    // of its kind in the file; 0 where that is not known
	hash        hashing
	charted     bool // no kustomization sets its namespace
}

func (o object) kindOf() kindOfObject { return kindOfObject{o.group, o.kind} }

// fits reports whether what is expected could be an object that is there.
func (o object) fits(p presentObject, hashed bool) bool {
	switch {
	case p.namespace != o.own && p.namespace != o.namespace:
		return false
	case hashed:
		return o.hash != never
	}
	return o.hash != always
}

// hashing is when a name ends in a hash of the content.
type hashing int

const (
	never hashing = iota
	always
	perhaps
)

type kindOfObject struct{ group, kind string }

// presentObject is one of the text.
type presentObject struct {
	name, namespace string
	document        int // of the text, from 0
}

// chartsOf names the charts of a kustomization, by its folder and the namespace that one above it sets.
type chartsOf struct{ dir, namespace string }

// readFiles are what the kustomizations of a build name and hold: origins of objects are derived from them.
type readFiles struct {
	app     string // as the user wrote it
	system  files.System
	root    *kustomization
	read    kustomizations
	charted map[chartsOf][]object // see injection
}
