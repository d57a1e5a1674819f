package typed_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

func TestOnlyDocumentsWithAWantedKindAreDecoded(t *testing.T) {
	text := "a: {b}: c\napiVersion: v1\nkind: Secret\n"
	if _, err := typed.ParseOnly([]byte(text), "x.yaml", nil); err == nil {
		t.Error("what is no YAML is read")
	}
	text = "kind: Other\nx: .nan\n---\napiVersion: g/v1\nkind: Wanted\nyes: on\n"
	all, err := typed.ParseOnly([]byte(text), "x.yaml", func(group, kind string) bool { return group+kind == "gWanted" })
	if err != nil || len(all) != 1 || all[0].Pos.String() != "x.yaml:4" || all[0].Fields["true"] != true {
		t.Errorf("read %+v, %v", all, err)
	}
	if _, err := typed.Parse([]byte(text), "x.yaml"); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:1: ") {
		t.Errorf("a document that is no JSON: %v", err)
	}
}

func TestErrorsOfDecodingNameNoValue(t *testing.T) {
	var to struct {
		A struct {
			B string `json:"b"`
		} `json:"a"`
	}
	err := typed.Decode(map[string]any{"a": map[string]any{"b": 12345}}, &to)
	if err == nil || strings.Contains(err.Error(), "12345") || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("the error is %v", err)
	}
}

func TestErrorsOfAFieldHaveItsLine(t *testing.T) {
	type source struct {
		Files []string `json:"files"`
		Skip  bool     `json:"skip"`
	}
	for name, row := range map[string]struct {
		text string
		line int
	}{
		"a text":                {"apiVersion: g/v1\nkind: K\nspec:\n  sources:\n  - skip: true\n  - files: []\n    skip: 'yes'\n", 7},
		"of another document":   {"kind: Other\n---\napiVersion: g/v1\nkind: K\nspec:\n  sources: [{files: [a]},\n  {files: a}]\n", 7},
		"an item":               {"kind: K\nspec:\n  sources:\n  - files:\n    - a\n    - b\n    - 7\n", 7},
		"the list":              {"kind: K\nspec:\n  sources:\n    a: b\n", 3},
		"a key of a mapping":    {"kind: K\nspec:\n  labels:\n    a: b\n    b: 1\n", 5},
		"in a List":             {"apiVersion: v1\nkind: List\nitems:\n- kind: Other\n- kind: K\n  spec:\n    sources:\n    - skip: 1\n", 8},
		"behind an alias":       {"kind: K\nx: &x\n  skip: 1\nspec:\n  sources:\n  - *x\n", 3},
		"merged":                {"kind: K\nx: &x\n  skip: 1\nspec:\n  sources:\n  - <<: *x\n", 3},
		"written in upper case": {"kind: K\nspec:\n  sources:\n  - SKIP: 1\n", 1},
	} {
		all, err := typed.Parse([]byte(row.text), "x.yaml")
		if err != nil {
			t.Fatal(name, err)
		}
		o := all[slices.IndexFunc(all, func(o typed.Object) bool { return o.Kind == "K" })]
		var spec struct {
			Sources []source          `json:"sources"`
			Labels  map[string]string `json:"labels"`
		}
		err = typed.Decode(o.Fields, &spec, "spec")
		if err == nil || strings.HasPrefix(err.Error(), "spec") {
			t.Errorf("%s: decoding ended with %v", name, err)
		}
		err = o.Locate(diag.Input(o.Pos, err, ""))
		if want := fmt.Sprintf("x.yaml:%d: ", row.line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want line %d", name, err, row.line)
		}
	}
}

func TestFieldsAreNamedAsTheyAreWritten(t *testing.T) {
	type Source struct {
		Name string `json:"name"`
	}
	var to struct {
		Spec struct{ Source } `json:"spec"`
	}
	err := typed.Decode(map[string]any{"spec": map[string]any{"name": true}}, &to)
	if want := "spec.name is a bool, which it must not be: put it in quotes"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestATextWithoutQuotesIsNamedByItsKey(t *testing.T) {
	var to struct {
		Spec struct {
			Variables map[string]string `json:"variables"`
		} `json:"spec"`
	}
	for value, want := range map[any]string{
		true: "spec.variables.X is a bool, which it must not be: put it in quotes",
		7.0:  "spec.variables.X is a number, which it must not be: put it in quotes",
	} {
		from := map[string]any{"spec": map[string]any{"variables": map[string]any{"A": "a", "X": value}}}
		if err := typed.Decode(from, &to); err == nil || err.Error() != want {
			t.Errorf("of %v the error is %v", value, err)
		}
	}
}

func TestTheManifestsOfAFolderAreFoundInOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a/c.yml", "a/.hidden/x.yaml", "c.txt", "d.json"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := typed.Find(nil, dir)
	var names []string
	for _, file := range found.Files {
		rel, _ := filepath.Rel(dir, file)
		names = append(names, rel)
	}
	if err != nil || !found.Folder || !slices.Equal(names, []string{"a/c.yml", "b.yaml", "d.json"}) {
		t.Errorf("found %v, %v", names, err)
	}
	if one, err := typed.Find(nil, found.Files[0]); err != nil || one.Folder || len(one.Files) != 1 {
		t.Errorf("a file: %+v, %v", one, err)
	}
}
