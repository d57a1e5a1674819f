package versions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const operator = "github.com/argoproj-labs/argocd-operator@v0.17.0"

// The API server leaves out what a schema does not have, in silence.
func TestWhatIsPrintedForTheOperatorIsInItsSchema(t *testing.T) {
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema full }
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(module(t, operator), "config", "crd", "bases", "argoproj.io_argocds.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(text), &crd)
	schemas := map[string]full{}
	for _, v := range crd.Spec.Versions {
		schemas["argoproj.io/"+v.Name] = v.Schema.OpenAPIV3Schema
	}
	for _, flags := range [][]string{nil, {"--serve"}, {"--argocd-version", "v3.5.0"}} {
		cmd := exec.Command(process.Rollstamp(t), append([]string{"argocd", "install", "--format", "operator",
			"--image", "registry.example/rollstamp:1.0.0"}, flags...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
		found := 0
		in := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 4096)
		for {
			var object map[string]any
			if err := in.Decode(&object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if object["kind"] != "ArgoCD" {
				continue
			}
			found++
			schema, ok := schemas[fmt.Sprint(object["apiVersion"])]
			if !ok {
				t.Fatalf("%s: the operator has no version %v", flags, object["apiVersion"])
			}
			delete(object, "apiVersion")
			delete(object, "kind")
			delete(object, "metadata")
			for _, problem := range schema.problems("", object) {
				t.Errorf("%s: %s", flags, problem)
			}
		}
		if found != 1 {
			t.Errorf("%s: %d resources of the operator", flags, found)
		}
	}
}

// full is a schema with what is needed to hold a value against it.
type full struct {
	Type                 string
	Properties           map[string]full
	Items                *full
	Required             []string
	AdditionalProperties *full
	IntOrString          bool `json:"x-kubernetes-int-or-string"`
}

// problems lists the fields of a value that the schema does not have, those that it wants, and values of another type.
func (s full) problems(path string, value any) (out []string) {
	wrong := func(is bool) {
		if !is {
			out = append(out, fmt.Sprintf("%s: want %s, found %T", path, s.Type, value))
		}
	}
	switch v := value.(type) {
	case map[string]any:
		wrong(s.Type == "object")
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				out = append(out, path+": lacks "+name)
			}
		}
		for name, below := range v {
			next, known := s.Properties[name]
			if !known && s.AdditionalProperties != nil {
				next, known = *s.AdditionalProperties, true
			}
			if !known {
				out = append(out, path+" has no "+name)
				continue
			}
			out = append(out, next.problems(strings.TrimPrefix(path+"."+name, "."), below)...)
		}
	case []any:
		if wrong(s.Type == "array" && s.Items != nil); s.Items == nil {
			return out
		}
		for _, item := range v {
			out = append(out, s.Items.problems(path+"[]", item)...)
		}
	case string:
		wrong(s.Type == "string" || s.IntOrString)
	case bool:
		wrong(s.Type == "boolean")
	default:
		wrong(slices.Contains([]string{"integer", "number"}, s.Type) || s.IntOrString)
	}
	return out
}
