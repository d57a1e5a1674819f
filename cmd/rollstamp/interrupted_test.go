package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestAnInterruptedRunOverManySaysSoOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 20 {
		path := filepath.Join(dir, fmt.Sprint("app", i), "settings.yaml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-%d}\n", i)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	interrupted, stop := context.WithCancel(context.Background())
	stop()
	for _, args := range [][]string{
		{"render", "--output-dir", filepath.Join(dir, "out"), filepath.Join(dir, "app*")}, {"explain", filepath.Join(dir, "app*")},
		{"check", filepath.Join(dir, "app*")}, {"graph", filepath.Join(dir, "app*")},
	} {
		var out, errs bytes.Buffer
		code := run(interrupted, args, func(string) (string, bool) { return "", false }, streams{in: &bytes.Buffer{}, out: &out, err: &errs})
		if code != diag.ExitInput || out.Len() > 0 || errs.String() != "rollstamp: interrupted\n" {
			t.Errorf("%s: exit %d\n%s%s", args[0], code, &out, &errs)
		}
	}
}
