package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOnlyDeclaredVariablesAreLookedUp(t *testing.T) {
	e := Environment()
	for _, v := range Vars() {
		if v.Indirect {
			continue
		}
		t.Setenv(v.Name, "x")
		if got, set := e(v.Name); got != "x" || !set {
			t.Errorf("%s: got %q, %t", v.Name, got, set)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an undeclared variable was looked up")
		}
	}()
	e("PATH")
}

func TestEveryVariableIsDeclaredOnceWithItsMeaning(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Vars() {
		if seen[v.Name] || v.Name == "" || !strings.HasSuffix(v.Meaning, ".") {
			t.Errorf("%+v", v)
		}
		seen[v.Name] = true
	}
	for _, name := range []string{
		EnvHashKey, EnvHashKeyFile, "ROLLSTAMP_HASH_DOMAIN", EnvPolicy, EnvAllow, EnvCacheDir, EnvNoColor,
	} {
		if !seen[name] {
			t.Errorf("%s is not declared", name)
		}
	}
}

// readsEnvironment lists the calls of a file that look into the environment.
func readsEnvironment(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := s.X.(*ast.Ident)
		readers := []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}
		if ok && (pkg.Name == "os" || pkg.Name == "syscall") && slices.Contains(readers, s.Sel.Name) {
			found = append(found, pkg.Name+"."+s.Sel.Name)
		}
		return true
	})
	return found
}

func TestTheEnvironmentIsReadNowhereElse(t *testing.T) {
	for file, want := range map[string][]string{"env.go": {"os.Environ"}, "hidden.go": {"os.Environ", "os.LookupEnv"}} {
		if got := readsEnvironment(t, file); !slices.Equal(got, want) {
			t.Fatalf("in %s the test sees %v", file, got)
		}
	}
	root := ".."
	// The collector's pace is set before anything else runs; stock serves tests alone.
	allowed := []string{"config/env.go", "config/hidden.go", "internal/gc", "internal/stock", "tools"}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case relErr != nil:
			return relErr
		case slices.Contains(allowed, filepath.ToSlash(rel)) && d.IsDir():
			return filepath.SkipDir
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(path)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go"),
			slices.Contains(allowed, filepath.ToSlash(rel)):
			return nil
		}
		files++
		for _, call := range readsEnvironment(t, path) {
			t.Errorf("%s calls %s; declare the variable in config.Vars and take it from config.Environment", rel, call)
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files seen, %v", files, err)
	}
}

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
