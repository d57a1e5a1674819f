package appset

import (
	"encoding/json"
	"errors"
	"fmt"

	"dario.cat/mergo"

	"github.com/rollstamp/rollstamp/manifest/typed"
)

// children decodes the generators inside a matrix or merge.
func children(body map[string]any) ([]map[string]any, error) {
	var b struct {
		Generators []map[string]any `json:"generators"`
	}
	err := typed.Decode(body, &b)
	return b.Generators, err
}

// runner runs a generator inside another, with the parameters of the one before it.
type runner func(item map[string]any, outer params) ([]params, error)

// matrix returns each parameters of its first generator with each of its second, whose fields may name the first's.
func (e *expansion) matrix(body map[string]any, run runner) ([]params, error) {
	items, err := children(body)
	if err != nil {
		return nil, err
	}
	if len(items) != 2 {
		return nil, fmt.Errorf("it has %d generators, and needs two", len(items))
	}
	first, err := run(items[0], nil)
	if err != nil {
		return nil, err
	}
	var out []params
	for _, a := range first {
		second, err := run(items[1], a)
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

// combine joins the parameters of a matrix's generators. The first's count where both are Go values; where both are
// text, they must not contradict each other.
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
			return nil, fmt.Errorf("both generators set %s, to different values", key)
		}
		out[key] = text
	}
	return out, nil
}

// merge completes the parameters of its first generator with those of the others that have the same keys.
func (e *expansion) merge(body map[string]any, run runner) ([]params, error) {
	items, err := children(body)
	if err != nil {
		return nil, err
	}
	var m struct {
		Keys []string `json:"mergeKeys"`
	}
	if err := typed.Decode(body, &m); err != nil {
		return nil, err
	}
	if len(items) < 2 || len(m.Keys) == 0 {
		return nil, errors.New("it needs two generators or more, and mergeKeys")
	}
	var base []params
	var order []string
	var byKey map[string]params
	for i, item := range items {
		all, err := run(item, nil)
		if err != nil {
			return nil, err
		}
		keys, found, err := byMergeKeys(m.Keys, all)
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

// byMergeKeys returns parameters by the values of the keys, which must be unique, and the order in which they came.
func byMergeKeys(names []string, all []params) (order []string, byKey map[string]params, err error) {
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
