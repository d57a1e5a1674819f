package objects

import (
	"fmt"
	"strings"
	"text/template/parse"

	"github.com/rollstamp/rollstamp/manifest"
)

// Problems returns what the object's operator would refuse, so that what it makes stays as it was. Nothing of a value
// is reported.
func (m *Producer) Problems() []Invalid {
	if m.row.problems == nil {
		return nil
	}
	p := &problems{}
	m.row.problems(p, m.node)
	return p.all
}

type problems struct{ all []Invalid }

func (p *problems) add(n manifest.Node, key, format string, args ...any) {
	p.all = append(p.all, Invalid{Key: key, Problem: fmt.Sprintf(format, args...), Offset: n.Offset()})
}

// template checks that a text can be read as a template of Go. Which functions there are is the operator's matter.
func (p *problems) template(n manifest.Node, key, what string) {
	t := n.Value()
	if !templated(t) {
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

// unasked adds what the operator finds out only when it asks the store. Without a store it shapes a digest as well as
// anything.
func (p *problems) unasked(n manifest.Node, key, format string, args ...any) {
	p.add(n, key, format, args...)
	last := &p.all[len(p.all)-1]
	last.Tolerated, last.BlocksAsking = true, true
}

// word checks a field that has to be a string, if it is there.
func (p *problems) word(n manifest.Node, key, what string) {
	if n.Valid() && n.Type() != manifest.String && n.Type() != manifest.Null {
		p.unasked(n, key, "%s is %s, not a string", what, n.Shape())
	}
}

// fields checks a field that has to be a mapping, if it is there.
func (p *problems) fields(n manifest.Node, what string) {
	if n.Valid() && !n.IsMap() && n.Type() != manifest.Null {
		p.unasked(n, "", "%s is %s, not a mapping", what, n.Shape())
	}
}
