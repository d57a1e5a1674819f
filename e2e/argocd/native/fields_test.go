package native

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

var update = flag.Bool("update", false, "write the list of fields instead of comparing it")

// The list lies with the package whose table it is compared with, in a test there that needs nothing of Argo CD.
const list = "../../../argocd/testdata/native-fields.txt"

func TestTheListOfNativeFieldsIsThatOfArgoCD(t *testing.T) {
	var fields []string
	for name, options := range map[string]any{
		"helm": v1alpha1.ApplicationSourceHelm{}, "kustomize": v1alpha1.ApplicationSourceKustomize{}, "directory": v1alpha1.ApplicationSourceDirectory{},
	} {
		fields = append(fields, below(name, reflect.TypeOf(options))...)
	}
	slices.Sort(fields)
	got := strings.Join(fields, "\n") + "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(list), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("Argo CD has other fields than %s (-update writes it):\n%s", list, got)
	}
}

// below lists the fields of a struct by their paths in JSON, down to those that hold no further ones. A list shows as
// [].
func below(path string, t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return below(path, t.Elem())
	case reflect.Slice:
		return below(path+"[]", t.Elem())
	case reflect.Struct:
	default:
		return []string{path}
	}
	if !strings.HasPrefix(t.PkgPath(), "github.com/argoproj/argo-cd/") {
		return []string{path} // an int-or-string, or a tree of any content
	}
	var out []string
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && strings.Contains(options, "inline") {
			out = append(out, below(path, field.Type)...)
			continue
		}
		out = append(out, below(path+"."+name, field.Type)...)
	}
	return out
}
