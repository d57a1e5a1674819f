package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/splice"
)

// phantoms is the strategy of a template of which variables are read from the phantom key: they get digests, and
// everything else is written by another strategy, the mark included.
type phantoms struct {
	strategy
	all []phantom
}

// withPhantoms returns a strategy that also writes variables that are read from the phantom key, where there are any.
func withPhantoms(other strategy, at location, all []phantom) (strategy, error) {
	if len(all) == 0 {
		return other, nil
	}
	p := phantoms{other, slices.Clone(all)}
	d := at.clone(at.PodSpec.Document())
	for i := range p.all {
		one := &p.all[i]
		one.list = one.list.In(d)
		for _, item := range [...]splice.Fields{one.digested(sampleDigest), one.reference()} {
			if _, err := one.replace(item); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// sampleDigest is a text like that of a digest, by which it is tried whether one can be written.
const sampleDigest = "v1-0123456789abcdef"

func (p phantoms) withBase(base map[named]string) strategy {
	p.strategy = withNames(p.strategy, base)
	return p
}

func (p phantoms) edits(wanted []plan.Wanted) (out []splice.Edit) {
	var others []plan.Wanted
	values := map[string]plan.Wanted{}
	for _, w := range wanted {
		if w.Reason == plan.Variable {
			values[w.Key] = w
		} else {
			others = append(others, w)
		}
	}
	var marks []string
	for i := range p.all {
		one := &p.all[i]
		w, isWanted := values[one.id()]
		if isWanted {
			marks = append(marks, one.String())
		}
		edits, err := one.write(isWanted, cmp.Or(w.Value, one.value))
		if err != nil {
			continue // tried before
		}
		out = append(out, edits...)
	}
	if len(marks) > 0 {
		others = append(others, plan.Wanted{Key: phantomMark, Value: strings.Join(marks, " "), Reason: plan.Variable})
		slices.SortStableFunc(others, func(a, b plan.Wanted) int { return cmp.Compare(a.Key, b.Key) })
	}
	return append(out, p.strategy.edits(others)...)
}

// write returns what makes the variable a digest, or the reference that it was.
func (p *phantom) write(isWanted bool, value string) ([]splice.Edit, error) {
	switch {
	case isWanted && value == p.value, !isWanted && p.value == "":
		return nil, nil
	case isWanted && p.value != "":
		return splice.SetString(p.list.Get("env").Item(p.index).Get("value"), value)
	case isWanted:
		return p.replace(p.digested(value))
	}
	return p.replace(p.reference())
}

// replace returns what writes the variable as other fields.
func (p *phantom) replace(fields splice.Fields) ([]splice.Edit, error) {
	return splice.EditItems(p.list, []string{"env"}, splice.ItemChange{At: p.index, Remove: 1, Insert: []any{fields}})
}

func (p *phantom) digested(value string) splice.Fields {
	return splice.Fields{{Key: "name", Value: p.variable}, {Key: "value", Value: value}}
}

// reference returns the variable as it was before it was stamped.
func (p *phantom) reference() splice.Fields {
	key := splice.Fields{{Key: "name", Value: p.written}, {Key: "key", Value: phantomKey}}
	if p.optional != "" {
		key = append(key, splice.Field{Key: "optional", Value: p.isOptional()})
	}
	from := splice.Fields{{Key: p.field, Value: key}}
	return splice.Fields{{Key: "name", Value: p.variable}, {Key: "valueFrom", Value: from}}
}

// restorePhantoms returns what makes variables references to the phantom key again.
func restorePhantoms(t *refs.Template) (out []splice.Edit, ok bool) {
	for _, p := range phantomsIn(t) {
		edits, err := p.write(false, "")
		if err != nil {
			return nil, false
		}
		out = append(out, edits...)
	}
	return out, true
}
