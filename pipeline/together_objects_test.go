package pipeline_test

import (
	"encoding/json"
	"fmt"

	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// workloadsOf returns the workloads of a text as JSON, by kind and name.
func workloadsOf(text []byte) map[string]string {
	out := map[string]string{}
	for _, v := range parsed(text, "") {
		all, isList := v.(object)["items"].([]any)
		if !isList {
			all = []any{v}
		}
		for _, one := range all {
			o := one.(object)
			if version, _ := o["apiVersion"].(string); version == "apps/v1" || version == "batch/v1" {
				j, err := json.Marshal(o)
				if err != nil {
					panic(err)
				}
				out[fmt.Sprint(o["kind"], "/", o["metadata"].(object)["name"])] = string(j)
			}
		}
	}
	return out
}

// parsed returns the objects of a text, without mappings and lists that are empty, and without the fields of a name.
func parsed(text []byte, drop string) (out []any) {
	for d, err := range manifest.Documents(text, "") {
		if err != nil {
			panic(err)
		}
		var v any
		if err := kube.Unmarshal(d.Body(), &v); err != nil {
			panic(err)
		}
		out = append(out, withoutEmpty(v, drop))
	}
	return out
}

func withoutEmpty(v any, drop string) any {
	switch v := v.(type) {
	case map[string]any:
		out := object{}
		for k, x := range v {
			if x = withoutEmpty(x, drop); x != nil && k != drop {
				out[k] = x
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = withoutEmpty(x, drop)
		}
		return out
	}
	return v
}
