package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kindsFile is the one list of kinds of workloads.
const kindsFile = "refs/kinds.go"

// sharedNames are kinds of the list that are called as other things are, too.
var sharedNames = []string{"Service", "Configuration", "Revision"}

// otherLists are the files that may list kinds of workloads, because the list is another program's.
var otherLists = map[string]string{
	"render/kustomize/output/order.go": "the order in which kustomize prints kinds",
	"render/kustomize/native/specs.go": "the fields that kustomize writes",

	"render/kustomize/native/referrers.go": "the fields in which kustomize follows names",

	"compat/reloader.go":            "what Reloader restarts",
	"compat/reloaderargs.go":        "kinds in Reloader's arguments",
	"compat/reloaderdifferences.go": "what Reloader runs again",
	"compat/restarted.go":           "what other tools restart",
	"argocd/lint/document.go":       "what Argo CD's own repo-server runs as",
}

func TestKindsOfWorkloadsAreListedInOnePlace(t *testing.T) {
	t.Parallel()
	kinds := tableKinds(t)
	if len(kinds) < 10 {
		t.Fatalf("only %d kinds were found in %s", len(kinds), kindsFile)
	}
	unused := map[string]bool{}
	for name := range otherLists {
		unused[name] = true
	}
	eachGoFile(t, func(name string, set *token.FileSet, file *ast.File) {
		for _, list := range kindLists(file, kinds) {
			if delete(unused, name); otherLists[name] == "" && name != kindsFile {
				t.Errorf("%s:%d lists %s: ask the table in %s instead, or add a column to it",
					name, set.Position(list.at).Line, strings.Join(list.kinds, ", "), kindsFile)
			}
		}
	})
	for name := range unused {
		t.Errorf("%s lists no kinds any more: take it out of otherLists", name)
	}
}

// tableKinds reads the names of the kinds out of the table's source.
func tableKinds(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", kindsFile), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := field.Key.(*ast.Ident); ok && key.Name == "Kind" {
			if kind := stringOf(field.Value); kind != "" && !slices.Contains(sharedNames, kind) {
				kinds[kind] = true
			}
		}
		return true
	})
	return kinds
}

// eachGoFile visits the Go files of the module that are no tests.
func eachGoFile(t *testing.T, visit func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "e2e" || name == "bench" || name == "release" || name == "tools" || name == "testdata" || strings.HasPrefix(name, ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(name), set, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type kindList struct {
	at    token.Pos
	kinds []string
}

// kindLists returns the literals, comparisons, calls and switches of a file that name two or more of the kinds.
func kindLists(file *ast.File, kinds map[string]bool) (lists []kindList) {
	ast.Inspect(file, func(n ast.Node) bool {
		var named []string
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.BinaryExpr, *ast.CallExpr:
			named = kindsIn(n, kinds)
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					named = append(named, kindsIn(e, kinds)...)
				}
			}
		}
		if len(named) < 2 {
			return true
		}
		lists = append(lists, kindList{n.Pos(), named})
		return false
	})
	return lists
}

// kindsIn returns the kinds that an expression names, without those in function literals.
func kindsIn(n ast.Node, kinds map[string]bool) (named []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BasicLit:
			text := stringOf(n)
			if kind := text[strings.LastIndexByte(text, '/')+1:]; kinds[kind] && !slices.Contains(named, kind) {
				named = append(named, kind) // by itself, or behind its group
			}
		}
		return true
	})
	return named
}

// stringOf returns the value of a string literal, "" for anything else.
func stringOf(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}

func TestListsOfKindsAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	const source = `package x
var a = map[string]bool{"Deployment": true, "StatefulSet": true}
var b = slices.Contains([]string{"Job", "CronJob"}, kind)
var c = kind == "Pod" || kind == "Rollout"
func d() { switch { case kind == "DaemonSet": case kind == "CloneSet": } }
func e() { switch kind { case "DaemonSet": case "CloneSet": } }
func f() { switch group + "/" + kind { case "apps/Deployment", "apps/StatefulSet": } }
var one = kind == "Deployment" || kind == "Secret"
func two() { if kind == "Deployment" { return }; if kind == "StatefulSet" { return } }
`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(kindLists(file, tableKinds(t))); got != 6 {
		t.Errorf("%d lists were found, want 6", got)
	}
}
