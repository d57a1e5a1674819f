package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// renderWith runs another rollstamp with flags that shape a render, and returns what it prints.
func renderWith(ctx context.Context, binary string, flags []string, path string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, binary, append(append([]string{"render"}, flags...), "--", path)...)
	cmd.Env = config.WithHidden(cmd.Environ())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("run %s render: %w: %s", binary, err, first), "")
	}
	return stdout.Bytes(), nil
}

// checkBinary refuses what is no rollstamp, before each application fails by it.
func checkBinary(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, binary, "--version")
	cmd.Env = config.WithHidden(cmd.Environ())
	out, err := cmd.Output()
	if err == nil && !bytes.HasPrefix(out, []byte("rollstamp ")) {
		err = errors.New("it is no rollstamp")
	}
	if err == nil {
		return nil
	}
	return diag.Usage(fmt.Errorf("--against-binary %s: %w", binary, withoutPath(err)),
		"Name the file of another version of rollstamp, or one that is in PATH.")
}

// withoutPath returns the cause of an error about a program that is named beside it.
func withoutPath(err error) error {
	var path *fs.PathError
	var name *exec.Error
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &name):
		return name.Err
	}
	return err
}

// shaping returns the flags that were set, as arguments, without those that are about comparing.
func shaping(set *pflag.FlagSet) []string {
	comparing := []string{
		"from", "to", "from-file", "to-file", "dirs", "exit-zero", "output", "shard",
		"against-binary", "against-level", "verbose",
	}
	var args []string
	set.Visit(func(f *pflag.Flag) {
		if slices.Contains(comparing, f.Name) {
			return
		}
		for _, v := range values(f) {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}
