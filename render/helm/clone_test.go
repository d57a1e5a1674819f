package helm

import (
	"reflect"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
)

func TestWhatATemplateChangesInACopyOfValuesStaysInTheCopy(t *testing.T) {
	original := func() chartutil.Values {
		shared := map[string]any{"password": nil, "nodes": []any{map[string]any{"name": "a"}, "b", 3.0}}
		return chartutil.Values{"Release": map[string]any{"Name": "r"}, "Values": chartutil.Values{
			"global": map[string]any{"redis": shared}, "empty": []any(nil), "none": map[string]any(nil),
			"cache": map[string]any{"global": map[string]any{"redis": shared}},
		}}
	}
	values, want := original(), original()
	clone := cloneValues(values)
	if !reflect.DeepEqual(clone, want) {
		t.Fatalf("the copy is %v, want %v", clone, want)
	}
	table := clone["Values"].(chartutil.Values)
	redis := table["global"].(map[string]any)["redis"].(map[string]any)
	redis["password"] = "set by a template"
	redis["nodes"].([]any)[0].(map[string]any)["name"] = "c"
	clone["Release"].(map[string]any)["Name"] = "other"
	if !reflect.DeepEqual(values, want) {
		t.Errorf("a change of the copy shows in the original: %v", values)
	}
	below := table["cache"].(map[string]any)["global"].(map[string]any)["redis"].(map[string]any)
	if below["password"] != "set by a template" {
		t.Error("a table in two places became two tables")
	}
}
