package appset

import (
	"fmt"
	"slices"
	"strconv"
)

// selector selects by labels. Unlike Kubernetes', its values may be any text, such as the address of a cluster,
// because Argo CD does not validate them.
type selector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"matchExpressions"`
}

// empty reports whether it matches everything.
func (s *selector) empty() bool {
	return s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// matches reports whether the selector matches labels.
func (s *selector) matches(labels map[string]string) (bool, error) {
	if s == nil {
		return true, nil
	}
	for key, want := range s.MatchLabels {
		if have, ok := labels[key]; !ok || have != want {
			return false, nil
		}
	}
	for _, e := range s.MatchExpressions {
		have, ok := labels[e.Key]
		fits := false
		switch e.Operator {
		case "In":
			fits = ok && slices.Contains(e.Values, have)
		case "NotIn":
			fits = !ok || !slices.Contains(e.Values, have)
		case "Exists":
			fits = ok
		case "DoesNotExist":
			fits = !ok
		default:
			return false, fmt.Errorf("selector: operator %q is not one of In, NotIn, Exists, DoesNotExist", e.Operator)
		}
		if !fits {
			return false, nil
		}
	}
	return true, nil
}

// flatten returns the leaves of a tree of values as text, by their path with dots.
func flatten(value any) map[string]string {
	out := map[string]string{}
	flattenInto(out, "", value)
	return out
}

func flattenInto(out map[string]string, prefix string, value any) {
	under := func(key string) string {
		if prefix == "" {
			return key
		}
		return prefix + "." + key
	}
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			flattenInto(out, under(key), item)
		}
	case map[string]string:
		for key, item := range v {
			out[under(key)] = item
		}
	case []any:
		for i, item := range v {
			flattenInto(out, under(strconv.Itoa(i)), item)
		}
	default:
		out[prefix] = fmt.Sprintf("%v", v)
	}
}
