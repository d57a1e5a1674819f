package appset

import (
	"errors"
	"fmt"
	"slices"
)

// fill returns a tree in which the unset fields of dst are src's, as Argo CD completes a generator's template with
// that of its set: mappings are merged, and anything else counts as a whole.
func fill(dst, src any) any {
	to, ok := dst.(map[string]any)
	from, both := src.(map[string]any)
	if !ok || !both {
		if isUnset(dst) {
			return src
		}
		return dst
	}
	out := make(map[string]any, len(to)+len(from))
	for key, value := range to {
		out[key] = value
	}
	for key, value := range from {
		out[key] = fill(out[key], value)
	}
	return out
}

// isUnset reports whether a field counts as unset.
func isUnset(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// patch applies a strategic merge patch to an Application: mappings are merged, null removes, lists are replaced. It
// returns a new tree.
func patch(to, with map[string]any, path string) (map[string]any, error) {
	if directive, ok := with["$patch"]; ok {
		switch directive {
		case "replace":
			out := cloneMap(with)
			delete(out, "$patch")
			return out, nil
		case "delete":
			return map[string]any{}, nil
		case "merge":
		default:
			return nil, fmt.Errorf("%s$patch is not one of replace, delete, merge", path)
		}
	}
	out := cloneMap(to)
	for key, value := range with {
		switch v := value.(type) {
		case nil:
			delete(out, key)
		case map[string]any:
			inner, _ := out[key].(map[string]any)
			merged, err := patch(inner, v, path+key+".")
			if err != nil {
				return nil, err
			}
			out[key] = merged
		case []any:
			if key == "finalizers" && path == "metadata." {
				v = union(out[key], v)
			}
			out[key] = v
		default:
			if key != "$patch" {
				out[key] = v
			}
		}
		if len(key) > 0 && key[0] == '$' && key != "$patch" {
			return nil, errors.New(path + key + " is not understood")
		}
	}
	return out, nil
}

// union returns the items of two lists, as patchStrategy merge does.
func union(have any, with []any) []any {
	out, _ := have.([]any)
	out = slices.Clone(out)
	for _, item := range with {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

func cloneMap(in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for key, value := range in {
		out[key] = value
	}
	return out
}
