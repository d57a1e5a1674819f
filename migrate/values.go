package migrate

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// valuesKey is where a HelmRelease reads values in a ConfigMap or Secret, where it says nothing else.
const valuesKey = "values.yaml"

// valuesAt is a key of a ConfigMap or Secret that holds values for a release.
type valuesAt struct{ kind, namespace, name, key string }

// valued is a release that was rendered, with the keys of tools that its own values have.
type valued struct {
	object string
	keys   map[string]bool
}

// release finds annotations in the values of a release, and remembers where more of them are. Of one that was rendered
// it remembers which they are.
func (s *scanner) release(o manifest.Object, at diag.Position) {
	if v := s.m.rendered[s.app.place(at, o.String())]; v != nil {
		v.object, v.keys = s.app.hide(o.String()), map[string]bool{}
		n := o.Node.At("spec", "values")
		if o.Kind == "Application" {
			n = o.Node.Get("spec")
		}
		eachKey(n, deepest, func(key string) { v.keys[strings.Clone(key)] = true })
		return
	}
	if o.Kind == "Application" {
		s.values(o, o.Node.Get("spec"), at)
		s.unread(o, at)
		return
	}
	s.values(o, o.Node.At("spec", "values"), at)
	for from := range o.Node.At("spec", "valuesFrom").Items() {
		key := from.Get("valuesKey").StringValue()
		if key == "" {
			key = valuesKey
		}
		s.m.elsewhere[valuesAt{strings.Clone(from.Get("kind").StringValue()), strings.Clone(o.Namespace),
			strings.Clone(from.Get("name").StringValue()), strings.Clone(key)}] = true
	}
}

// findInValues says of what was found in the render of a release which of it its values have: it is taken out there,
// and not in the chart. What has keys of both is divided.
func (m *migration) findInValues(a *application) {
	pos := a.App.Origin().Pos
	v := m.rendered[Place{File: pos.File, Line: pos.Line}]
	if v == nil || len(v.keys) == 0 {
		return
	}
	for i := range a.uses {
		u := &a.uses[i]
		found := make([]Found, 0, len(u.found))
		for _, f := range u.found {
			if f.Where == InValues {
				found = append(found, f)
				continue
			}
			ofValues, ofChart := f, f
			ofValues.Keys = slices.DeleteFunc(slices.Clone(f.Keys), func(key string) bool { return !v.keys[key] })
			ofChart.Keys = slices.DeleteFunc(slices.Clone(f.Keys), func(key string) bool { return v.keys[key] })
			ofValues.Values, ofValues.Place = v.object, Place{File: pos.File, Line: pos.Line}
			for _, one := range [...]Found{ofValues, ofChart} {
				if len(one.Keys) > 0 {
					found = append(found, one)
				}
			}
		}
		u.found = found
	}
}

// values finds annotations among the keys of values.
func (s *scanner) values(o manifest.Object, n manifest.Node, at diag.Position) {
	eachKey(n, deepest, func(key string) {
		for i := range s.m.tools {
			if s.isOf(i, key) {
				s.add(i, o, InValues, strings.Clone(key), at)
			}
		}
	})
}

// deepest is how many texts with values may lie in each other.
const deepest = 3

// eachKey visits the keys of values, those in texts that hold values themselves, and what the paths of parameters end
// with.
func eachKey(n manifest.Node, depth int, visit func(key string)) {
	for k, v := range n.Entries() {
		visit(k.Field())
		eachKey(v, depth, visit)
	}
	for v := range n.Items() {
		eachKey(v, depth, visit)
	}
	if n.Type() != manifest.String {
		return
	}
	text := n.StringValue()
	if strings.Contains(text, `\.`) {
		visit(lastOfPath(text))
	}
	eachKeyIn(text, depth, visit)
}

// eachKeyIn visits the keys of values that are a text.
func eachKeyIn(text string, depth int, visit func(key string)) {
	if depth == 0 || !strings.Contains(text, ":") {
		return
	}
	if d, err := manifest.Parse([]byte(text)); err == nil && d != nil && !d.Root().IsScalar() {
		eachKey(d.Root(), depth-1, visit)
	}
}

// lastOfPath returns the last part of a path as parameters of Helm have it, where a backslash is before a dot that does
// not lead on.
func lastOfPath(path string) string {
	const dot = "\x00"
	path = strings.ReplaceAll(path, `\.`, dot)
	return strings.ReplaceAll(path[strings.LastIndex(path, ".")+1:], dot, ".")
}

// valuesOf finds annotations in the values that a ConfigMap or Secret holds for a release. Of a Secret no more is said
// than how an annotation begins.
func (s *scanner) valuesOf(o manifest.Object, at diag.Position) {
	if o.Kind != "ConfigMap" && o.Kind != "Secret" || o.Group() != "" {
		return
	}
	for _, field := range []string{"data", "stringData"} {
		for k, v := range o.Node.Get(field).Entries() {
			if !s.m.elsewhere[valuesAt{o.Kind, o.Namespace, o.Name, k.Field()}] {
				continue
			}
			if o.Kind != "Secret" {
				s.values(o, v, at)
				continue
			}
			text := v.StringValue()
			if field == "data" {
				plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
				if err != nil {
					continue
				}
				text = string(plain)
			}
			s.inSecret(o, text, at)
		}
	}
}

func (s *scanner) inSecret(o manifest.Object, text string, at diag.Position) {
	eachKeyIn(text, deepest, func(key string) {
		for i := range s.m.tools {
			for _, begin := range s.m.tools[i].keys {
				if strings.HasPrefix(key, begin) {
					s.add(i, o, InValues, begin, at)
				}
			}
		}
	})
}

// scanElsewhere finds annotations in the values of releases that lie in other objects.
func (m *migration) scanElsewhere(ctx context.Context) error {
	if len(m.elsewhere) == 0 {
		return nil
	}
	for _, a := range m.apps {
		if err := a.Result.EachObject(ctx, m.scanner(a).valuesOf); err != nil {
			return err
		}
	}
	return nil
}
