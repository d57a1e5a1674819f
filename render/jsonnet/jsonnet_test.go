package jsonnet_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/jsonnet"
)

// repository writes files (path, content, ...) into a new folder and returns its path and a request for its folder app.
func repository(t *testing.T, files ...string) (string, render.Request) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root, render.Request{Path: filepath.Join(root, "app"), Roots: &config.Roots{Top: root},
		Plain: render.PlainOptions{Directory: &render.DirectoryOptions{}}}
}

func evaluate(req render.Request) (string, []string, error) {
	text, inputs, err := jsonnet.Engine{}.Evaluate(context.Background(), req, filepath.Join(req.Path, "x.jsonnet"))
	return strings.Join(strings.Fields(string(text)), ""), inputs, err
}

func TestVariablesAndArgumentsAreTextOrCode(t *testing.T) {
	_, req := repository(t, "app/x.jsonnet", `function(a, b) [a, b, std.extVar("c"), std.extVar("d")]`)
	req.Plain.Directory.Jsonnet = render.JsonnetOptions{
		TLAs:    []render.JsonnetVar{{Name: "a", Value: "1+1"}, {Name: "b", Value: "1+1", Code: true}},
		ExtVars: []render.JsonnetVar{{Name: "c", Value: "{}"}, {Name: "d", Value: "{}", Code: true}},
	}
	if got, _, err := evaluate(req); err != nil || got != `["1+1",2,"{}",{}]` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestImportsAreLookedForBesideTheFileThenInTheLastLibraryFirst(t *testing.T) {
	root, req := repository(t,
		"app/x.jsonnet", `[import "own.libsonnet", import "../shared/up.libsonnet", import "lib.libsonnet", import "second.libsonnet", importstr "text.txt"]`,
		"app/own.libsonnet", `"own"`, "one/own.libsonnet", `"wrong"`,
		"shared/up.libsonnet", `import "beside.libsonnet"`, "shared/beside.libsonnet", `"beside"`, "app/beside.libsonnet", `"wrong"`,
		"one/lib.libsonnet", `"wrong"`, "two/lib.libsonnet", `"two"`, "one/second.libsonnet", `"one"`, "two/text.txt", "text",
	)
	req.Plain.Directory.Jsonnet.Libs = []string{"one", "/two"}
	got, inputs, err := evaluate(req)
	if err != nil || got != `["own","beside","two","one","text"]` {
		t.Errorf("got %s, %v", got, err)
	}
	var want []string
	for _, name := range []string{"app/own.libsonnet", "app/x.jsonnet", "one/second.libsonnet", "shared/beside.libsonnet", "shared/up.libsonnet", "two/lib.libsonnet", "two/text.txt"} {
		want = append(want, filepath.Join(root, name))
	}
	if !slices.Equal(inputs, want) {
		t.Errorf("inputs are %q, want %q", inputs, want)
	}
}

func TestNothingOutsideTheRepositoryIsRead(t *testing.T) {
	outside, _ := repository(t, "secret.txt", "stolen")
	for name, text := range map[string]string{
		"up":       `importstr "../../` + filepath.Base(outside) + `/secret.txt"`,
		"absolute": `importstr "` + outside + `/secret.txt"`,
		"a link":   `importstr "link.txt"`,
	} {
		t.Run(name, func(t *testing.T) {
			root, req := repository(t, "app/x.jsonnet", text)
			if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(root, "app/link.txt")); err != nil {
				t.Fatal(err)
			}
			got, _, err := evaluate(req)
			if err == nil || diag.ExitOf(err) != diag.ExitInput || strings.Contains(err.Error(), "stolen") || got != "" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	_, req := repository(t, "app/x.jsonnet", "1")
	req.Plain.Directory.Jsonnet.Libs = []string{"../x"}
	if _, _, err := evaluate(req); diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("a library outside: %v", err)
	}
}

func TestAnErrorHasItsPlaceAndNoValues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // what the error ends with
		line string
	}{
		"a syntax error":                   {"{\n  a: }\n", "", "2"},
		"a text where none is":             {"{\n  \"canary\" \"canary\"\n}", "", "2"},
		"an unknown name":                  {"local a = 1;\ncanaries", "Unknown variable: canaries", "2"},
		"a missing field":                  {"{a: 1}.b", "Field does not exist: b", "1"},
		"an error of its own":              {"local c = 'canary';\n\nerror c", "failed with a text of its own, which may hold values and is not shown", "3"},
		"an error that is written there":   {"{\n  a: error 'the region is missing',\n}", "evaluate Jsonnet: the region is missing", "2"},
		"an assertion":                     {"{ assert false : 'canary' }", "which may hold values and is not shown", "1"},
		"the library's words":              {"std.parseInt('canary')", "which may hold values and is not shown", "1"},
		"an undefined variable":            {"std.extVar('x')", "Undefined external variable: x", "1"},
		"an import":                        {"1 +\nimport 'absent.libsonnet'", `import "absent.libsonnet": no such file, neither beside the importing one nor in the libraries`, "2"},
		"a computed field":                 {"{}['can' + 'ary']", "Field does not exist; its name is computed, may hold a value and is not shown", "1"},
		"a computed variable":              {"std.extVar('can' + 'ary')", "Undefined external variable; its name is computed, may hold a value and is not shown", "1"},
		"a computed field twice":           {"local k = 'can' + 'ary';\n{[k]: 1, [k]: 2}", "Duplicate field name; its name is computed, may hold a value and is not shown", "2"},
		"a computed part of a name":        {"local canar = 1; {}['canar' + 'y']", "may hold a value and is not shown", "1"},
		"an error with words of ours":      {"error 'Division by zero. can' + 'ary'", "which may hold values and is not shown", "1"},
		"a field that is quoted":           {"{a: 1}[\"b c\"]", "Field does not exist: b c", "1"},
		"an argument that is missing":      {"local f(x) =\n  x;\nf()", "Missing argument: x", "3"},
		"an error with the parser's words": {"error 'Expected a, but got can' + 'ary'", "which may hold values and is not shown", "1"},
		"the wrong type":                   {"'canary' - 1", "", "1"},
		"without end":                      {"local f(x) = f(x + 1) + 1;\nf(1)", "max stack frames exceeded.", "1"},
		"brackets without end":             {"\n" + strings.Repeat("[", 200_000), "it is nested more than 10000 deep", "2"},
		"brackets of an import":            {"import 'deep.libsonnet'", "it is nested more than 10000 deep", "1"},
		"an error inside a file":           {"(import 'bad.libsonnet').x", "", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			root, req := repository(t, "app/x.jsonnet", c.text, "app/bad.libsonnet", "{\n  x:\n    error 'can' + 'ary',\n}",
				"app/deep.libsonnet", strings.Repeat("{a: ", 200_000))
			file, verb := "x.jsonnet", "evaluate"
			switch name {
			case "an error inside a file":
				file = "bad.libsonnet"
			case "brackets of an import":
				file, verb = "deep.libsonnet", "parse"
			case "brackets without end":
				verb = "parse"
			}
			_, _, err := evaluate(req)
			if err == nil || diag.ExitOf(err) != diag.ExitInput {
				t.Fatalf("got %v", err)
			}
			text := err.Error()
			if strings.Contains(text, "canary") || !strings.HasPrefix(text, filepath.Join(root, "app", file)+":"+c.line+": "+verb+" Jsonnet: ") || !strings.HasSuffix(text, c.want) {
				t.Errorf("got %q", text)
			}
		})
	}
}

func TestAnEvaluationEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, req := repository(t, "app/x.jsonnet", "1")
	if _, _, err := (jsonnet.Engine{}).Evaluate(ctx, req, filepath.Join(req.Path, "x.jsonnet")); err == nil {
		t.Error("a cancelled evaluation gave an answer")
	}
}
