package helm

import (
	"reflect"

	"helm.sh/helm/v3/pkg/chartutil"
)

// cloneValues copies what templates see and may change: all tables and lists, so that a render with the copy is a
// render with values that were made again, at a fraction of the cost. A table that lies in several places, as those
// below "global" do, lies in the same places of the copy.
func cloneValues(values chartutil.Values) chartutil.Values {
	return chartutil.Values(cloner{}.table(values))
}

// cloner is the copies that were made so far, by the addresses of their originals.
type cloner map[uintptr]map[string]any

func (c cloner) table(of map[string]any) map[string]any {
	if of == nil {
		return nil
	}
	at := reflect.ValueOf(of).Pointer()
	if done, ok := c[at]; ok {
		return done
	}
	out := make(map[string]any, len(of))
	c[at] = out
	for key, value := range of {
		out[key] = c.value(value)
	}
	return out
}

func (c cloner) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return c.table(v)
	case chartutil.Values:
		return chartutil.Values(c.table(v))
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = c.value(element)
		}
		return out
	}
	return v
}
