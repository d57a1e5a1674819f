package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dario.cat/mergo"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
)

// Surroundings are what generators look at beside the set itself.
type Surroundings struct {
	Repositories *Repositories
	Clusters     *Clusters // nil: nobody said which clusters there are
}

// expansion is the making of the applications of one set.
type expansion struct {
	ctx      context.Context
	in       *Surroundings
	language language
}

// transformed is what a generator gives, and the template that its parameters go into.
type transformed struct {
	params   []params
	template map[string]any
}

// generators are the fields of an item of spec.generators, in the controller's order.
var generators = []string{"list", "clusters", "git", "scmProvider", "clusterDecisionResource", "pullRequest", "matrix", "merge", "plugin"}

// deepest is how far generators may be nested: a matrix of matrices of others.
const deepest = 2

// transform runs the generators of one item, which are one in practice. Given are the parameters of the generator before it in a
// matrix, which its fields may name.
func (e *expansion) transform(item, template map[string]any, given params, depth int) ([]transformed, error) {
	var chosen struct {
		Selector *selector `json:"selector"`
	}
	if err := decode(item, &chosen); err != nil {
		return nil, err
	}
	var out []transformed
	for _, kind := range generators {
		body, ok := item[kind].(map[string]any)
		if !ok {
			if item[kind] != nil {
				return nil, fmt.Errorf("%s is not a mapping", kind)
			}
			continue
		}
		own, _ := body["template"].(map[string]any)
		t := transformed{template: fill(own, template).(map[string]any)}
		if len(given) > 0 {
			var err error
			if body, err = e.interpolate(kind, body, given); err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
		}
		all, err := e.generate(kind, body, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		for _, p := range all {
			fits, err := chosen.Selector.takes(flatten(p))
			if err != nil {
				return nil, err
			}
			if fits {
				t.params = append(t.params, p)
			}
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return nil, errors.New("no known generator is named")
	}
	return out, nil
}

// interpolate puts parameters into a generator's own fields. Its values may name parameters that only this generator gives; those stay.
func (e *expansion) interpolate(kind string, body map[string]any, given params) (map[string]any, error) {
	values, _ := body["values"].(map[string]any)
	rest := cloneMap(body)
	if kind != "list" {
		delete(rest, "values")
	}
	out, err := e.language.expandMap(rest, given)
	if err != nil || values == nil || kind == "list" {
		return out, err
	}
	strict, kept := e.language.strict(), map[string]any{}
	for key, value := range values {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("values.%s is not a string", key)
		}
		kept[key] = text
		if done, err := strict.expand(text, given); err == nil {
			kept[key] = done
		} else if !missing(err) {
			return nil, fmt.Errorf("values.%s: %w", key, err)
		}
	}
	out["values"] = kept
	return out, nil
}

func (e *expansion) generate(kind string, body map[string]any, depth int) ([]params, error) {
	switch kind {
	case "list":
		return e.list(body)
	case "git":
		return e.git(body)
	case "clusters":
		return e.clusters(body)
	case "matrix", "merge":
		if depth == deepest {
			return nil, errors.New("generators are nested too deeply")
		}
		if kind == "matrix" {
			return e.matrix(body, depth)
		}
		return e.merge(body, depth)
	}
	return nil, diag.Input(diag.Position{}, errors.New("this generator asks a cluster or a web service, and cannot be resolved here"),
		"Render the Applications that it makes: argocd appset generate FILE -o yaml, or kubectl get applications -o yaml.")
}

func (e *expansion) list(body map[string]any) ([]params, error) {
	var list struct {
		Elements     []map[string]any `json:"elements"`
		ElementsYAML string           `json:"elementsYaml"`
	}
	if err := decode(body, &list); err != nil {
		return nil, err
	}
	var out []params
	for i, element := range list.Elements {
		p, err := element, error(nil)
		if !e.language.goTemplate {
			if p, err = flatElement(element); err != nil {
				return nil, fmt.Errorf("element %d: %w", i+1, err)
			}
		}
		out = append(out, p)
	}
	if list.ElementsYAML != "" {
		var more []params
		if err := yaml.Unmarshal([]byte(list.ElementsYAML), &more); err != nil {
			return nil, errors.New("elementsYaml is not a YAML list of mappings")
		}
		out = append(out, more...)
	}
	return out, nil
}

// flatElement takes an element for {{name}}: strings, and strings below values.
func flatElement(element map[string]any) (params, error) {
	p := params{}
	take := func(name string, value any) error {
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("%s is not a string, which it must be without goTemplate", name)
		}
		p[name] = text
		return nil
	}
	for key, value := range element {
		values, nested := value.(map[string]any)
		if key != "values" {
			if err := take(key, value); err != nil {
				return nil, err
			}
			continue
		}
		if !nested {
			return nil, errors.New("values is not a mapping")
		}
		for name, value := range values {
			if err := take("values."+name, value); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// children decodes the generators inside a matrix or merge.
func children(body map[string]any) ([]map[string]any, error) {
	var b struct {
		Generators []map[string]any `json:"generators"`
	}
	err := decode(body, &b)
	return b.Generators, err
}

// child runs a generator inside another.
func (e *expansion) child(item map[string]any, given params, depth int) ([]params, error) {
	made, err := e.transform(item, nil, given, depth+1)
	if err != nil {
		return nil, err
	}
	if len(made) > 1 {
		return nil, errors.New("an item names more than one generator")
	}
	return made[0].params, nil
}

// matrix gives each parameters of its first generator with each of its second, whose fields may name the first's.
func (e *expansion) matrix(body map[string]any, depth int) ([]params, error) {
	items, err := children(body)
	if err != nil {
		return nil, err
	}
	if len(items) != 2 {
		return nil, fmt.Errorf("it has %d generators, and needs two", len(items))
	}
	first, err := e.child(items[0], nil, depth)
	if err != nil {
		return nil, err
	}
	var out []params
	for _, a := range first {
		second, err := e.child(items[1], a, depth)
		if err != nil {
			return nil, err
		}
		for _, b := range second {
			p, err := e.combine(a, b)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// combine joins the parameters of a matrix's generators. The first's count where both are Go values; where both are text, they must
// not contradict each other.
func (e *expansion) combine(a, b params) (params, error) {
	out := params{}
	if e.language.goTemplate {
		for _, p := range []params{b, a} {
			if err := mergo.Merge(&out, p, mergo.WithOverride); err != nil {
				return nil, errors.New("the parameters of the two generators cannot be joined")
			}
		}
		return out, nil
	}
	for key, value := range a {
		out[key] = fmt.Sprintf("%v", value)
	}
	for key, value := range b {
		text := fmt.Sprintf("%v", value)
		if have, ok := out[key]; ok && have != text {
			return nil, fmt.Errorf("both generators give %s, and not the same", key)
		}
		out[key] = text
	}
	return out, nil
}

// merge completes the parameters of its first generator with those of the others that have the same keys.
func (e *expansion) merge(body map[string]any, depth int) ([]params, error) {
	items, err := children(body)
	if err != nil {
		return nil, err
	}
	var m struct {
		Keys []string `json:"mergeKeys"`
	}
	if err := decode(body, &m); err != nil {
		return nil, err
	}
	if len(items) < 2 || len(m.Keys) == 0 {
		return nil, errors.New("it needs two generators or more, and mergeKeys")
	}
	var base []params
	var order []string
	var byKey map[string]params
	for i, item := range items {
		all, err := e.child(item, nil, depth)
		if err != nil {
			return nil, err
		}
		keys, found, err := keyed(m.Keys, all)
		if err != nil {
			return nil, fmt.Errorf("generator %d: %w", i+1, err)
		}
		if i == 0 {
			order, byKey = keys, found
			continue
		}
		for key, over := range found {
			if _, ok := byKey[key]; !ok {
				continue
			}
			if err := e.override(byKey[key], over); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range order {
		base = append(base, byKey[key])
	}
	return base, nil
}

func (e *expansion) override(base, over params) error {
	if !e.language.goTemplate {
		for key, value := range over {
			base[key] = value
		}
		return nil
	}
	if err := mergo.Merge(&base, over, mergo.WithOverride); err != nil {
		return errors.New("the parameters of the generators cannot be merged")
	}
	return nil
}

// keyed gives parameters by the values of the keys, which must tell them apart, and the order in which they came.
func keyed(names []string, all []params) (order []string, byKey map[string]params, err error) {
	byKey = map[string]params{}
	for _, p := range all {
		values := map[string]any{}
		for _, name := range names {
			values[name] = p[name]
		}
		text, err := json.Marshal(values)
		if err != nil {
			return nil, nil, errors.New("the values of mergeKeys cannot be compared")
		}
		key := string(text)
		if _, twice := byKey[key]; twice {
			return nil, nil, fmt.Errorf("two of its parameters have the same %v", names)
		}
		byKey[key] = p
		order = append(order, key)
	}
	return order, byKey, nil
}
