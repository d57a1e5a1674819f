package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/release/provenance"
	"github.com/rollstamp/rollstamp/release/source"
)

// runReproduce builds a release again, the one that was just built or one that was downloaded: from a clone in another
// folder, as another user with another home, file mask, time zone and language, and with a build cache of its own. Then
// it compares. Version, platforms and builder are those of the release's provenance.
func runReproduce(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	warm := flags.Bool("warm", false, "use the build cache of the first build: quick, and proves less")
	list := flags.String("platforms", "", "build for these only; empty: those of the release")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	tree, err := source.Read(w.source, w.version)
	if err != nil {
		return err
	}
	if tree.Dirty || tree.Revision == "" {
		return errors.New("only a commit can be built a second time: this tree has changes, or is no repository")
	}
	first, err := provenance.Read(filepath.Join(w.out, provenanceName))
	if err != nil {
		return fmt.Errorf("the first build: %w", err)
	}
	if err := isBuildable(ctx, tree, first); err != nil {
		return err
	}
	if w.version == "" {
		tree.Version = first.Version()
	}
	if *list == "" {
		*list = strings.Join(first.Platforms(), ",")
	}
	dir, err := os.MkdirTemp("", "rollstamp second build ")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	second := secondBuild{tree: tree, dir: dir, warm: *warm, platforms: *list, by: first.Builder()}
	if err := second.run(ctx); err != nil {
		return err
	}
	return compare(w.out, second.out())
}

// isBuildable returns an error where a release is of another commit than the tree, or of another Go than the one here.
func isBuildable(ctx context.Context, tree source.Tree, first provenance.Statement) error {
	if first.Commit() != tree.Revision {
		return fmt.Errorf("the release is of the commit %q, and %s is at %s: git checkout the release's tag",
			first.Commit(), tree.Root, tree.Revision)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = tree.Root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOVERSION: %w", err)
	}
	if here := strings.TrimSpace(string(out)); here != first.Go() {
		return fmt.Errorf("the release was built by %s, and this is %s: GOTOOLCHAIN=%[1]s", first.Go(), here)
	}
	return nil
}

type secondBuild struct {
	tree      source.Tree
	dir       string
	warm      bool
	platforms string
	by        string // the builder that the first build names
}

func (s secondBuild) out() string { return filepath.Join(s.dir, "dist") }

func (s secondBuild) run(ctx context.Context) error {
	clone := filepath.Join(s.dir, "a clone")
	for _, args := range [][]string{
		{"clone", "-q", "--no-local", "--no-checkout", s.tree.Root, clone},
		{"-C", clone, "checkout", "-q", "--detach", s.tree.Revision},
	} {
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	env, err := s.environ(ctx)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "build", "-source", clone, "-out", s.out(), "-version", s.tree.Version,
		"-shell=false", "-platforms", s.platforms, "-builder", s.by)
	cmd.Env, cmd.Dir = env, s.dir
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := startAsAnother(cmd); err != nil {
		return fmt.Errorf("second build: %w", err)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("second build: %w", err)
	}
	return nil
}

// environ is another one than the first build had, but for where modules are.
func (s secondBuild) environ(ctx context.Context) ([]string, error) {
	home := filepath.Join(s.dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	env := []string{"HOME=" + home, "USER=somebody", "LOGNAME=somebody", "TZ=Pacific/Kiritimati", "LC_ALL=tr_TR.UTF-8",
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + s.dir}
	take := []string{"GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"}
	if s.warm {
		take = append(take, "GOCACHE")
	}
	for _, name := range take {
		out, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go env %s: %w", name, err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		env = append(env, "SOURCE_DATE_EPOCH="+epoch)
	}
	return env, nil
}
