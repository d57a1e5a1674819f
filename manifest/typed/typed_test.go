package typed_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
