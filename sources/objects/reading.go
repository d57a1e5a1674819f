package objects

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Invalid is a key whose value Kubernetes does not take; Key is "" where the whole field is wrong. Problem holds no
// value.
type Invalid struct {
	Key          string
	Problem      string
	Offset       int
	Tolerated    bool // worth a finding, and no error even where it is consumed
	BlocksAsking bool // no store can be asked because of it: an error, Tolerated or not, where one would be
}

// reading collects what is found out about an object when it is read.
type reading struct {
	problems []Invalid     // what its operator would refuse
	keys     []keyRef      // of what it produces, where that is all that shapes them
	keysAt   manifest.Node // where they were read from
}

// keyRef is a key with the place in a store that its content comes from, in the form that nearly all have: where these
// are in the text. There may be tens of thousands, and the garbage collector need not look into them.
type keyRef struct{ key, remoteKey, property manifest.Span }

func (r *reading) add(n manifest.Node, key, format string, args ...any) {
	r.problems = append(r.problems, Invalid{Key: key, Problem: fmt.Sprintf(format, args...), Offset: n.Offset()})
}

// template checks that a text can be read as a template of Go.
func (r *reading) template(n manifest.Node, key, what string) {
	t := n.Value()
	if !hasTemplate(t) {
		return
	}
	if _, err := parseTemplate(t); err != nil {
		// The library's words quote the text; its line is all that is reported.
		line := strings.TrimPrefix(err.Error(), "template: :")
		line, _, _ = strings.Cut(line, ":")
		r.add(n, key, "%s is a template that cannot be read, in its line %s", what, line)
	}
}

// whenAsking adds what the operator finds out only when it asks the store. Without a store it shapes a digest as
// anything else does.
func (r *reading) whenAsking(n manifest.Node, key, format string, args ...any) {
	r.add(n, key, format, args...)
	last := &r.problems[len(r.problems)-1]
	last.Tolerated, last.BlocksAsking = true, true
}

// text checks a field that has to be a string, if it is there.
func (r *reading) text(n manifest.Node, key, what string) {
	if n.Valid() && n.Type() != manifest.String && n.Type() != manifest.Null {
		r.whenAsking(n, key, "%s is %s, not a string", what, n.Shape())
	}
}

// mapping checks a field that has to be a mapping, if it is there.
func (r *reading) mapping(n manifest.Node, what string) {
	if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
		r.whenAsking(n, "", "%s is %s, not a mapping", what, n.Shape())
	}
}
