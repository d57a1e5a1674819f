package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/source"
)

// runReproduce builds the release that was built once more: of a clone in another folder, as another user with another
// home, file mask, time zone and language, and with a build cache of its own. Then it compares.
func runReproduce(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	warm := flags.Bool("warm", false, "use the build cache of the first build: quick, and proves less")
	list := flags.String("platforms", "", "as the release was built")
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
	dir, err := os.MkdirTemp("", "rollstamp second build ")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	second := secondBuild{tree: tree, dir: dir, warm: *warm, platforms: *list}
	if err := second.run(ctx); err != nil {
		return err
	}
	return compare(w.out, second.out())
}

type secondBuild struct {
	tree      source.Tree
	dir       string
	warm      bool
	platforms string
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
		"-shell=false", "-platforms", s.platforms)
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

// compare names each file that differs between two builds.
func compare(first, second string) error {
	a, err := os.ReadFile(filepath.Join(first, dist.Checksums))
	if err != nil {
		return fmt.Errorf("the first build: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(second, dist.Checksums))
	if err != nil {
		return fmt.Errorf("the second build: %w", err)
	}
	// The provenance has the image's digest, and the sums have the provenance's.
	if !bytes.Equal(a, b) {
		return fmt.Errorf("two builds differ: %s", strings.Join(differences(string(a), string(b)), ", "))
	}
	for _, dir := range []string{first, second} {
		if err := dist.Verify(dir); err != nil {
			return err
		}
	}
	sum, _, err := dist.Sum(filepath.Join(first, dist.Checksums))
	if err != nil {
		return err
	}
	fmt.Printf("two builds, the same bytes: %d files, %s %s\n", strings.Count(string(a), "\n"), dist.Checksums, sum)
	return sameImage(first, second)
}

func differences(a, b string) []string {
	has := map[string]bool{}
	for line := range strings.Lines(b) {
		has[line] = true
	}
	var names []string
	for line := range strings.Lines(a) {
		if !has[line] {
			_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			names = append(names, name)
		}
	}
	return append(names, fmt.Sprintf("%d and %d files", strings.Count(a, "\n"), strings.Count(b, "\n")))
}

// sameImage compares the images themselves, where the release has one.
func sameImage(first, second string) error {
	var digests []string
	for _, dir := range []string{first, second} {
		layout := filepath.Join(dir, "image")
		if _, err := os.Stat(layout); errors.Is(err, fs.ErrNotExist) {
			digests = append(digests, "none") // a release of other platforms only
			continue
		}
		images, err := image.ReadLayout(layout)
		if err != nil {
			return err
		}
		digest, err := images[0].Index.Digest()
		if err != nil {
			return err
		}
		digests = append(digests, digest.String())
	}
	if digests[0] != digests[1] {
		return fmt.Errorf("two builds have different images: %s and %s", digests[0], digests[1])
	}
	fmt.Println("the same image:", digests[0])
	return nil
}
