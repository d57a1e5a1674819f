// Command extend shows what an extension of rollstamp costs: it adds one of several kinds to a copy of the source,
// counts the files that each of them touches, builds the copy, and lets the program show that what was added works.
//
// Nothing in the tree changes: the copy is an overlay of the go command.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "extend:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "rollstamp-extend-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := overlay{dir: dir, files: map[string]string{}}
	all := slices.Concat(extensions, secretExtensions, engineExtensions)
	for _, e := range all {
		if err := o.add(e); err != nil {
			return fmt.Errorf("%s: %w", e.what, err)
		}
	}
	binaries, err := o.build(ctx)
	if err != nil {
		return err
	}
	fmt.Println("| to add | files changed | files added |\n| --- | --- | --- |")
	for _, e := range all {
		if err := e.probe(ctx, binaries, dir); err != nil {
			return fmt.Errorf("%s: %w", e.what, err)
		}
		fmt.Printf("| %s | %s | %s |\n", e.what, strings.Join(e.changedFiles(), ", "), strings.Join(e.addedFiles(), ", "))
	}
	return nil
}

// overlay is a copy of the tree with changes, as the go command takes it.
type overlay struct {
	dir   string            // holds the files that are different
	files map[string]string // by their absolute path in the tree
}

// add makes the changes of an extension.
func (o *overlay) add(e extension) error {
	for _, r := range e.rows {
		text, err := o.read(r.file)
		if err != nil {
			return err
		}
		before, after, found := strings.Cut(string(text), r.behind)
		if !found {
			return fmt.Errorf("%s has no %q any more", r.file, r.behind)
		}
		if err := o.write(r.file, before+r.behind+r.text+after); err != nil {
			return err
		}
	}
	for name, text := range e.files {
		if _, err := os.Stat(name); err == nil {
			return fmt.Errorf("%s is there already", name)
		}
		if err := o.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

// read returns a file of the tree as earlier extensions left it.
func (o *overlay) read(name string) ([]byte, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	if changed, is := o.files[path]; is {
		path = changed
	}
	return os.ReadFile(path)
}

func (o *overlay) write(name, text string) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	o.files[path] = filepath.Join(o.dir, strings.ReplaceAll(name, "/", "_"))
	return os.WriteFile(o.files[path], []byte(text), 0o600)
}

// build builds the programs with the changes, and returns the folder that they lie in.
func (o *overlay) build(ctx context.Context) (string, error) {
	list, err := json.Marshal(map[string]any{"Replace": o.files})
	if err != nil {
		return "", err
	}
	name, binaries := filepath.Join(o.dir, "overlay.json"), filepath.Join(o.dir, "bin")+string(filepath.Separator)
	if err := os.WriteFile(name, list, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", name, "-o", binaries, "./cmd/rollstamp",
		"./cmd/rollstamp-stores")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binaries, nil
}

// probe runs the program and looks for what the extension adds to its output.
func (e extension) probe(ctx context.Context, binaries, dir string) error {
	at, err := os.MkdirTemp(dir, "probe-")
	if err != nil {
		return err
	}
	for name, text := range e.input {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, "rollstamp"), e.args...)
	cmd.Dir = at
	out, err := cmd.CombinedOutput()
	if !bytes.Contains(out, []byte(e.want)) {
		return fmt.Errorf("rollstamp %s does not print %q: %w\n%s", strings.Join(e.args, " "), e.want, err, out)
	}
	return nil
}
