package argocd

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

// nativeFields is the list that a test in e2e/argocd holds against Argo CD's own structs.
func nativeFields(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/native-fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Fields(string(text))
	for _, fact := range versionstest.Newer() { // than the version that the list was taken from
		path, ok := strings.CutPrefix(fact.Text, "field Application source.")
		if kind, _, _ := strings.Cut(path, "."); ok && slices.Contains([]string{"helm", "kustomize", "directory"}, kind) {
			out = append(out, path)
		}
	}
	return out
}

func TestASourceHasTheFieldsOfArgoCDsOwn(t *testing.T) {
	want := nativeFields(t)
	got := fieldsBelow("", reflect.TypeFor[Source]())
	for _, field := range want {
		if !slices.Contains(got, field) {
			t.Errorf("we have no %s", field)
		}
	}
	for _, field := range got {
		if !slices.Contains(want, field) {
			t.Errorf("Argo CD has no %s", field)
		}
	}
}

func TestTheTableOfOptionsCoversEachFieldOfArgoCD(t *testing.T) {
	want := map[string]bool{}
	for _, field := range nativeFields(t) {
		field, _, _ = strings.Cut(field, "[]")
		want[field] = true
	}
	got := map[string]bool{}
	for _, option := range Options() {
		for _, path := range option.Paths {
			if !option.Own {
				got[path] = true
			}
		}
	}
	for field := range want {
		if !got[field] {
			t.Errorf("no option stands for %s", field)
		}
	}
	for path := range got {
		if !want[path] {
			t.Errorf("an option stands for %s, which Argo CD does not have", path)
		}
	}
}

// fieldsBelow lists the fields of a struct by their paths in JSON, down to those that hold no further ones. A list
// shows as [].
func fieldsBelow(path string, t reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return fieldsBelow(path, t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return fieldsBelow(path+"[]", t.Elem())
	case t.Kind() != reflect.Struct:
		return []string{path}
	}
	var out []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // holds the fields of a value that JSON writes as one
		}
		out = append(out, fieldsBelow(strings.TrimPrefix(path+"."+name, "."), field.Type)...)
	}
	if len(out) == 0 {
		return []string{path}
	}
	return out
}
