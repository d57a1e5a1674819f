package diff

import (
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// hiddenIn returns what is hidden in the text between two offsets.
func hiddenIn(all []render.Hidden, start, end int) (in []render.Hidden) {
	for _, h := range all {
		if start <= h.Offset && h.Offset < end {
			in = append(in, h)
		}
	}
	return in
}

// places hides the values that an object shows at places of its own.
func (m mask) places(table map[string]any, hidden []render.Hidden) {
	for _, h := range hidden {
		for _, p := range h.Places {
			if !p.Key {
				m.place(table, p.Path, p, h.Values)
			}
		}
		for _, p := range h.Places { // by their paths the values below them were found
			if p.Key {
				m.key(table, p.Path)
			}
		}
	}
}

// place hides what stands at a path.
func (m mask) place(in any, path []any, p render.HiddenPlace, values *redact.Values) {
	switch at := path[0].(type) {
	case string:
		if table, ok := in.(map[string]any); ok {
			if len(path) > 1 {
				m.place(table[at], path[1:], p, values)
			} else if v, has := table[at]; has {
				table[at] = m.scalar(v, p.Whole, values)
			}
		}
	case int:
		if list, ok := in.([]any); ok && at < len(list) {
			if len(path) > 1 {
				m.place(list[at], path[1:], p, values)
			} else {
				list[at] = m.scalar(list[at], p.Whole, values)
			}
		}
	}
}

// scalar returns what is shown of a value.
func (m mask) scalar(v any, whole bool, values *redact.Values) any {
	text, ok := v.(string)
	switch {
	case v == nil:
		return nil
	case whole || !ok:
		return m.text(v)
	}
	return values.Replace(text, func(value string) string { return m.text(value) })
}

// key hides the key that a path ends in.
func (m mask) key(table any, path []any) {
	for _, at := range path[:len(path)-1] {
		switch in := table.(type) {
		case map[string]any:
			name, _ := at.(string)
			table = in[name]
		case []any:
			if i, ok := at.(int); ok && i < len(in) {
				table = in[i]
			}
		}
	}
	in, ok := table.(map[string]any)
	name, named := path[len(path)-1].(string)
	if v, has := in[name]; ok && named && has {
		delete(in, name)
		in[m.text(name)] = v
	}
}

// withoutValues returns the comparison without the values that came from Secrets into other objects, such as their
// names.
func (c *Comparison) withoutValues(sides ...Side) *Comparison {
	changed := map[string]bool{} // of the others nothing but their names is shown
	for _, a := range c.Apps {
		changed[a.Name] = a.Status != Same
	}
	var values *redact.Values
	for _, side := range sides {
		for _, a := range side.Apps {
			switch is, known := changed[a.Name]; {
			case a.Render == nil, !a.Render.IsAtHand(): // what hides something is not cached
			case is || !known:
				values = values.And(a.result().Output.AllSecrets())
			default:
				values = values.And(a.result().Output.Secrets())
			}
		}
	}
	if values.IsEmpty() {
		return c
	}
	out := redact.Copy(values, c, "App", "File")
	for i := range out.Apps {
		out.Apps[i].Name = c.Apps[i].Name
	}
	return out
}
