package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestADifferenceIsFoundAndNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the binaries of this test are shell scripts")
	}
	dir := t.TempDir()
	one, other, random := script(t, dir, "one", "echo x; echo a"), script(t, dir, "other", "echo x; echo b; exit 3"), script(t, dir, "random", "date +%N")
	cases := []struct {
		name                      string
		before, after             string
		compared, random, differs int64
	}{
		{"the same", one, one, 7, 0, 0},
		{"other bytes", one, other, 7, 0, 1},
		{"nothing that repeats", random, one, 0, 7, 0},
	}
	app := t.TempDir()
	write(t, filepath.Join(app, "a.yaml"), "kind: ConfigMap\n")
	for _, c := range cases {
		inputs, err := find(app, regexp.MustCompile(""))
		if err != nil || len(inputs) != 1 {
			t.Fatal(inputs, err)
		}
		sum := compareAll(context.Background(), pair{c.before, c.after}, inputs, 1)
		if (sum.compared.Load() > 0) != (c.compared > 0) || (sum.random.Load() > 0) != (c.random > 0) ||
			sum.differ.Load() != c.differs {
			t.Errorf("%s: compared %d, random %d, differ %d", c.name, sum.compared.Load(), sum.random.Load(), sum.differ.Load())
		}
	}
}

func TestOnlyTheWordsOfFindingsMayChange(t *testing.T) {
	old := `{"schema":1,"findings":[{"code":"x","message":"old words","hint":"do this"}]}`
	if !equal(result{0, []byte(old)}, result{0, []byte(strings.ReplaceAll(old, "old words", "new words"))}) {
		t.Error("another message counts")
	}
	for from, to := range map[string]string{`"x"`: `"y"`, `"hint":"do this"`: `"hint":""`, `"schema":1`: `"schema":2`} {
		if equal(result{0, []byte(old)}, result{0, []byte(strings.ReplaceAll(old, from, to))}) {
			t.Errorf("%s instead of %s does not count", to, from)
		}
	}
}

func TestChangedMovesValuesAndKeepsTheLines(t *testing.T) {
	text := strings.Repeat("data:\n  key: value\n  name: web\n", 10)
	got := string(changeValues([]byte(text)))
	if strings.Count(got, "valuex") != 2 || strings.Count(got, "\n") != strings.Count(text, "\n") || strings.Contains(got, "webx") {
		t.Errorf("got %s", got)
	}
}

func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	write(t, path, "#!/bin/sh\n"+body+"\n")
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
