package objects

import (
	"bytes"
	"fmt"
	"strings"
	"text/template/parse"

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

// problems collects what an operator would refuse.
type problems struct{ all []Invalid }

func (p *problems) add(n manifest.Node, key, format string, args ...any) {
	p.all = append(p.all, Invalid{Key: key, Problem: fmt.Sprintf(format, args...), Offset: n.Offset()})
}

// template checks that a text can be read as a template of Go. Which functions there are is the operator's matter.
func (p *problems) template(n manifest.Node, key, what string) {
	t := n.Value()
	if !hasTemplate(t) {
		return
	}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(string(t), "", "", map[string]*parse.Tree{}); err != nil {
		// The library's words quote the text; its line is all that is reported.
		line := strings.TrimPrefix(err.Error(), "template: :")
		line, _, _ = strings.Cut(line, ":")
		p.add(n, key, "%s is a template that cannot be read, in its line %s", what, line)
	}
}

// hasTemplate reports whether a template's text takes anything in.
func hasTemplate(t []byte) bool { return bytes.Contains(t, []byte("{{")) }

// whenAsking adds what the operator finds out only when it asks the store. Without a store it shapes a digest as well as
// anything.
func (p *problems) whenAsking(n manifest.Node, key, format string, args ...any) {
	p.add(n, key, format, args...)
	last := &p.all[len(p.all)-1]
	last.Tolerated, last.BlocksAsking = true, true
}

// text checks a field that has to be a string, if it is there.
func (p *problems) text(n manifest.Node, key, what string) {
	if n.Valid() && n.Type() != manifest.String && n.Type() != manifest.Null {
		p.whenAsking(n, key, "%s is %s, not a string", what, n.Shape())
	}
}

// mapping checks a field that has to be a mapping, if it is there.
func (p *problems) mapping(n manifest.Node, what string) {
	if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
		p.whenAsking(n, "", "%s is %s, not a mapping", what, n.Shape())
	}
}
