package rounds

import (
	"bytes"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// withNamespace returns the render of a member, with the namespace of objects that name none, and what applies it.
func withNamespace(m *member) *render.Output {
	of := *m.output
	of.Namespace, of.ByFlux = m.namespace(), m.kustomization != nil
	return &of
}

// cutter finds in renders what can be looked up in them.
type cutter struct {
	rules  []config.ProducerRule // of all who look something up
	pieces map[*member][]piece
	whole  map[*member]*render.Output
}

// newCutter returns one for what members have looked up.
func newCutter(members []*member) *cutter {
	c := &cutter{pieces: map[*member][]piece{}, whole: map[*member]*render.Output{}}
	seen := map[*config.ProducerRule]bool{}
	for _, m := range members {
		if m.app == nil {
			continue
		}
		rules := m.app.Settings().Producers.Value
		if len(rules) > 0 && !seen[&rules[0]] { // those of one file are one list
			seen[&rules[0]] = true
			c.rules = append(c.rules, rules...)
		}
	}
	return c
}

// piecesOf returns the documents of a member with something to look up.
func (c *cutter) piecesOf(m *member) []piece {
	pieces, known := c.pieces[m]
	if !known {
		pieces = piecesOf(m.output.Text, c.rules)
		c.pieces[m] = pieces
	}
	return pieces
}

// all returns the render of a member, of which every piece can be looked up.
func (c *cutter) all(m *member) *render.Output {
	if c.whole[m] == nil {
		out, pieces := withNamespace(m), c.piecesOf(m)
		out.LookedUp = make([]render.Span, len(pieces))
		for i, p := range pieces {
			out.LookedUp[i] = render.Span{Start: p.start, End: p.end}
		}
		c.whole[m] = out
	}
	return c.whole[m]
}

// piece is a document with something to look up.
type piece struct {
	start, end int
	names      []string // "Kind name" of its ConfigMaps and Secrets; none where it is always taken
}

// of returns the render of a member with the objects that are named, and all that are neither ConfigMaps nor Secrets:
// stores and generators, which others may need.
func (c *cutter) of(m *member, names map[string]bool) *render.Output {
	whole := withNamespace(m)
	if whole.SecondRender != nil {
		return whole
	}
	out := *whole.WithDerived(func() []render.Hidden { return nil }) // Anywhere says enough of what may be in it
	out.Text, out.Hidden, out.Origins, out.Locator = nil, nil, nil, nil
	for _, h := range whole.Hidden {
		if h.Anywhere {
			out.Hidden = append(out.Hidden, h)
		}
	}
	isNamed := func(name string) bool { return names[name] }
	for _, p := range c.piecesOf(m) {
		if len(p.names) > 0 && !slices.ContainsFunc(p.names, isNamed) {
			continue
		}
		out.Text = append(out.Text, "---\n"...)
		for _, h := range whole.Hidden {
			if !h.Anywhere && p.start <= h.Offset && h.Offset < p.end {
				h.Offset += len(out.Text) - p.start
				out.Hidden = append(out.Hidden, h)
			}
		}
		out.Text = append(out.Text, whole.Text[p.start:p.end]...)
		if !bytes.HasSuffix(out.Text, []byte("\n")) {
			out.Text = append(out.Text, '\n')
		}
	}
	return &out
}

// piecesOf returns the documents of a render with something to look up, by these rules, too.
func piecesOf(text []byte, rules []config.ProducerRule) (out []piece) {
	index := objects.NewIndex(objects.Options{Rules: rules})
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return out
		}
		p, concerns := piece{start: d.Start, end: d.End}, false
		for o := range d.Objects() {
			if !index.Concerns(o) {
				continue
			}
			concerns = true
			if o.Kind != "ConfigMap" && o.Kind != "Secret" {
				p.names = nil
				break
			}
			p.names = append(p.names, o.Kind+" "+o.Name)
		}
		if concerns {
			out = append(out, p)
		}
	}
}
