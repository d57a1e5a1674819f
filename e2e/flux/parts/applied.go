package parts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster"
)

// Inventory lists what a Kustomization applied: "NAMESPACE_NAME_GROUP_KIND VERSION", sorted.
func Inventory(kustomization cluster.Object) []string {
	entries, _ := kustomization.Field("status", "inventory", "entries").([]any)
	var out []string
	for _, e := range entries {
		m, _ := e.(map[string]any)
		out = append(out, fmt.Sprint(m["id"], " ", m["v"]))
	}
	slices.Sort(out)
	return out
}

// Identities lists objects as an inventory does. A namespaced object without a namespace is in default.
func (f *Flux) Identities(t testing.TB, objects []cluster.Object) []string {
	t.Helper()
	var out []string
	for _, o := range objects {
		group, version, grouped := strings.Cut(o.Text("apiVersion"), "/")
		if !grouped {
			group, version = "", group
		}
		namespace := ""
		if path := f.Path(t, o); strings.Contains(path, "/namespaces/") && o.Kind() != "Namespace" {
			namespace = strings.Split(path[strings.Index(path, "/namespaces/"):], "/")[2]
		}
		name := strings.ReplaceAll(o.Name(), ":", "__")
		out = append(out, fmt.Sprintf("%s_%s_%s_%s %s", namespace, name, group, o.Kind(), version))
	}
	slices.Sort(out)
	return out
}

// Compare reports how objects differ from those that a Kustomization applied: nothing where each of them, applied by
// the controller instead, would change no field of the live object and no owner of a field. So the API server itself
// fills in defaults and conversions on both sides, and a field that is missing or too many shows.
func (f *Flux) Compare(t testing.TB, kustomization cluster.Object, objects []cluster.Object) string {
	t.Helper()
	if diff := cmp.Diff(Inventory(kustomization), f.Identities(t, objects)); diff != "" {
		return "objects (-controller +ours):\n" + diff
	}
	var out strings.Builder
	for _, o := range objects {
		live, again := f.appliedAgain(t, o)
		if diff := cmp.Diff(withoutTimes(live), withoutTimes(again)); diff != "" {
			fmt.Fprintf(&out, "%s (-controller +ours):\n%s\n", o, diff)
		}
	}
	return out.String()
}

// appliedAgain returns a live object, and what the controller would make of it by applying an object. Where another
// controller writes the live one meanwhile, that is done once more.
func (f *Flux) appliedAgain(t testing.TB, o cluster.Object) (live, again cluster.Object) {
	t.Helper()
	text, err := yaml.Marshal(normalizeObject(t, o))
	if err != nil {
		t.Fatal(err)
	}
	query := "?dryRun=All&force=true&fieldManager=" + KustomizeController
	for live = f.Live(t, o); ; {
		answer := f.Do(t, http.MethodPatch, f.Path(t, o)+query, "application/apply-patch+yaml", text)
		again = nil
		if err := json.Unmarshal(answer, &again); err != nil {
			t.Fatal(err)
		}
		now := f.Live(t, o)
		if now.Field("metadata", "resourceVersion") == live.Field("metadata", "resourceVersion") {
			return live, again
		}
		live = now
	}
}

// normalizeObject does what the controller does before it applies an object.
func normalizeObject(t testing.TB, o cluster.Object) cluster.Object {
	t.Helper()
	out := &unstructured.Unstructured{Object: copyOf(o)}
	if err := normalize.Unstructured(out); err != nil {
		t.Fatalf("%s: %v", o, err)
	}
	return out.Object
}

// copyOf is an object of its own that is equal.
func copyOf(o cluster.Object) cluster.Object {
	var out cluster.Object
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // it was JSON before
	}
	return out
}

// withoutTimes is a live object without its status, and without when it was written.
func withoutTimes(o cluster.Object) cluster.Object {
	out := copyOf(o)
	delete(out, "status")
	metadata, _ := out["metadata"].(map[string]any)
	delete(metadata, "resourceVersion")
	managers, _ := metadata["managedFields"].([]any)
	metadata["managedFields"] = slices.DeleteFunc(managers, func(m any) bool {
		delete(m.(map[string]any), "time")
		return m.(map[string]any)["subresource"] == "status"
	})
	return out
}
