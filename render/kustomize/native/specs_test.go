package native

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/yaml"
)

// TestFieldsAreThoseOfTheLibrary reads the library's own tables, which it does not export, from its source.
func TestFieldsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	var theirs struct {
		NamePrefix, NameSuffix, Namespace, CommonLabels, TemplateLabels, VolumeClaimTemplateLabels types.FsSlice
		CommonAnnotations, Images, Replicas                                                        types.FsSlice
		NameReference                                                                              []struct {
			resid.Gvk  `json:",inline"`
			FieldSpecs types.FsSlice
		}
	}
	texts := constantsOf(t)
	for _, name := range []string{"namePrefix", "nameSuffix", "namespace", "commonLabel", "templateLabel",
		"volumeClaimTemplateLabel", "commonAnnotation", "images", "replicas", "nameReference"} {
		text, ok := texts[name+"FieldSpecs"]
		if !ok {
			t.Fatalf("the library has no %s", name)
		}
		if err := yaml.Unmarshal([]byte(text), &theirs); err != nil {
			t.Fatal(err)
		}
	}
	for name, pair := range map[string][2]types.FsSlice{
		"prefixes":        {nameFields(), theirs.NamePrefix},
		"suffixes":        {nameFields(), theirs.NameSuffix},
		"namespaces":      {namespaceFields(), theirs.Namespace},
		"common labels":   {selectorFields(), theirs.CommonLabels},
		"template labels": {templateFields(), theirs.TemplateLabels},
		"claim templates": {claimTemplateFields(), theirs.VolumeClaimTemplateLabels},
		"annotations":     {annotationFields(), theirs.CommonAnnotations},
		"images":          {imageFields(), theirs.Images},
		"replicas":        {replicaFields(), theirs.Replicas},
	} {
		if len(pair[1]) == 0 || !slices.Equal(pair[0], inOrder(pair[1])) {
			t.Errorf("fields of %s are\n%v\nand the library's\n%v", name, pair[0], pair[1])
		}
	}
	var want, got []string
	for _, n := range theirs.NameReference {
		want = append(want, spell(n.Gvk, n.FieldSpecs)...)
	}
	for _, n := range targets() {
		got = append(got, spell(n.Gvk, n.fields)...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("names are followed in\n%s\nand by the library in\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func spell(of resid.Gvk, fields types.FsSlice) (out []string) {
	for _, f := range fields {
		out = append(out, of.String()+" in "+f.String())
	}
	return out
}

// constantsOf returns the constant texts in the library's package of tables.
func constantsOf(t *testing.T) map[string]string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kustomize/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(strings.TrimSpace(string(dir)) + "/internal/konfig/builtinpluginconsts/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	written := map[string]ast.Expr{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				written[v.Names[0].Name] = v.Values[0]
			}
			return true
		})
	}
	out := map[string]string{}
	for name, e := range written {
		out[name] = textOfConstant(t, e, written)
	}
	return out
}

// textOfConstant returns the value of an expression of texts, names and plus signs.
func textOfConstant(t *testing.T, e ast.Expr, named map[string]ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	case *ast.Ident:
		return textOfConstant(t, named[e.Name], named)
	case *ast.BinaryExpr:
		return textOfConstant(t, e.X, named) + textOfConstant(t, e.Y, named)
	}
	t.Fatalf("a constant that is %T", e)
	return ""
}
