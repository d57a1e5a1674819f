package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/tool"
)

var errUnchecked = errors.New("the database of vulnerabilities cannot be had here, so nothing was checked")

// runVuln compares what the programs call with the list of known vulnerabilities.
func runVuln(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	allow := flags.Bool("allow-unchecked", false,
		"succeed where the database cannot be had, which is reported nevertheless")
	db := flags.String("db", "https://vuln.go.dev", "the database, or a mirror of it: https:// or file://")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	program, err := tool.Build(ctx, filepath.Join(w.source, "tools", "govulncheck"), "golang.org/x/vuln/cmd/govulncheck")
	if err != nil {
		return err
	}
	for _, m := range programs.Modules() {
		if err = vulnerabilities(ctx, program, *db, filepath.Join(w.source, m.Dir), m.Packages); err != nil {
			break
		}
	}
	if errors.Is(err, errUnchecked) && *allow {
		fmt.Println("govulncheck was not run:", err)
		return nil
	}
	return err
}

// vulnerabilities runs govulncheck, and distinguishes what it found from what it could not look up.
func vulnerabilities(ctx context.Context, program, db, dir string, packages []string) error {
	cmd := exec.CommandContext(ctx, program, append([]string{"-db", db}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if bytes.Contains(output.Bytes(), []byte("fetching vulnerabilities:")) ||
		bytes.Contains(output.Bytes(), []byte("creating client:")) {
		return fmt.Errorf("%w (-db names a mirror): %s", errUnchecked, bytes.TrimSpace(output.Bytes()))
	}
	os.Stdout.Write(output.Bytes())
	if err != nil {
		return fmt.Errorf("govulncheck: %w", err)
	}
	return nil
}
