package appset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// generators are the fields of an item of spec.generators, in the controller's order.
var generators = []string{"list", "clusters", "git", "scmProvider", "clusterDecisionResource", "pullRequest", "matrix",
	"merge", "plugin", "oci"}

// maxDepth is how deep generators may be nested: a matrix of matrices of others.
const maxDepth = 2

// transform runs the generators of one item, which is one in practice. The fields of the second generator in a matrix
// may name the parameters of the first, which are outer.
func (e *expansion) transform(item, template map[string]any, outer params, depth int) ([]generated, error) {
	var chosen struct {
		Selector *selector `json:"selector"`
	}
	if err := typed.Decode(item, &chosen); err != nil {
		return nil, err
	}
	var out []generated
	for _, kind := range generators {
		body, ok := item[kind].(map[string]any)
		if !ok {
			if item[kind] != nil {
				return nil, fmt.Errorf("%s is not a mapping", kind)
			}
			continue
		}
		own, _ := body["template"].(map[string]any)
		t := generated{template: fill(own, template).(map[string]any)}
		if len(outer) > 0 {
			var err error
			if body, err = e.interpolate(kind, body, outer); err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
		}
		all, err := e.generate(kind, body, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		for _, p := range all {
			fits, err := chosen.Selector.matches(flatten(p))
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
		return nil, unnamed(item, depth)
	}
	return out, nil
}

// interpolate fills in a generator's own fields. Its values may name parameters that only this generator has; those
// stay.
func (e *expansion) interpolate(kind string, body map[string]any, outer params) (map[string]any, error) {
	values, _ := body["values"].(map[string]any)
	rest := cloneMap(body)
	if kind != "list" {
		delete(rest, "values")
	}
	out, err := e.language.expandMap(rest, outer)
	if err != nil || values == nil || kind == "list" {
		return out, err
	}
	strict, filled := e.language.strict(), map[string]any{}
	for key, value := range values {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("values.%s is not a string", key)
		}
		filled[key] = text
		if done, err := strict.expand(text, outer); err == nil {
			filled[key] = done
		} else if !isMissingKey(err) {
			return nil, fmt.Errorf("values.%s: %w", key, err)
		}
	}
	out["values"] = filled
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
		if depth == maxDepth {
			return nil, errors.New("generators are nested too deeply")
		}
		if kind == "matrix" {
			return e.matrix(body, e.nestedRunner(depth))
		}
		return e.merge(body, e.nestedRunner(depth))
	}
	return nil, diag.Input(diag.Position{}, unknownError{error: errors.New(
		"this generator asks a cluster, a registry or a web service, and cannot be resolved here")},
		"Have Argo CD make its Applications, and name the file with these: argocd appset generate FILE -o yaml > made.yaml, "+
			"or kubectl get applications -o yaml > made.yaml.")
}

// unnamed returns the error of an item that names none of our generators. One that names none at all generates nothing,
// and is an error only inside of another.
func unnamed(item map[string]any, depth int) error {
	names := named(item)
	switch {
	case len(names) == 0 && depth == 0:
		return nil
	case len(names) == 0:
		return errors.New("an item names no generator")
	}
	return unknownError{fmt.Errorf("%s is no generator that is known here", strings.Join(names, ", ")), true}
}

// named returns the names of an item's generators. A null names none.
func named(item map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(item)), func(name string) bool {
		return name == "selector" || item[name] == nil && slices.Contains(generators, name)
	})
}

func (e *expansion) list(body map[string]any) ([]params, error) {
	var list struct {
		Elements     []map[string]any `json:"elements"`
		ElementsYAML string           `json:"elementsYaml"`
	}
	if err := typed.Decode(body, &list); err != nil {
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

// flatElement converts an element for {{name}}: strings, and strings below values.
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

// nestedRunner returns the runner for the generators inside one of some depth.
func (e *expansion) nestedRunner(depth int) runner {
	return func(item map[string]any, outer params) ([]params, error) {
		made, err := e.transform(item, nil, outer, depth+1)
		if err != nil {
			return nil, err
		}
		if len(made) > 1 {
			return nil, errors.New("an item names more than one generator")
		}
		return made[0].params, nil
	}
}
