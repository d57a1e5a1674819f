package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// cachedEstate is a repository of charts, kustomizations and folders of manifests in equal numbers. No two of them have
// an object, a value or a file's content in common: Git has what is alike once.
type cachedEstate struct {
	*estate
	b     *bench
	count int
}

// writeCachedEstate writes the repository with one commit, and a change of one chart's values after it.
func (b *bench) writeCachedEstate(ctx context.Context, count, objects int) (*cachedEstate, error) {
	e := &cachedEstate{&estate{dir: b.path("cached")}, b, count}
	for i := range count {
		dir, first := filepath.Join(e.dir, "apps", fmt.Sprintf("app-%05d", i)), i*objects
		var err error
		switch i % 3 {
		case 0:
			err = writeChartFrom(dir, first, objects)
		case 1:
			err = writeKustomizationFrom(dir, first, objects)
		default:
			err = writeStreamFrom(filepath.Join(dir, "all.yaml"), first, objects)
		}
		if err != nil {
			return nil, err
		}
	}
	return e, e.commit(ctx, "begin")
}

// changeValues changes the values that one chart is rendered with.
func (e *cachedEstate) changeValues(tag string) error {
	return writeFiles(e.dir, map[string]func(io.Writer){
		"apps/app-00000/values.yaml": text("image:\n  repository: registry.example.com/team/app\n  tag: " + tag + "\n"),
	})
}

func (e *cachedEstate) run(args ...string) command {
	return command{argv: append([]string{e.b.ours}, args...), dir: e.dir}
}

// render renders all into a folder.
func (e *cachedEstate) render(out string, more ...string) command {
	return e.run(append(more, "render", "--output-dir", e.b.path(out), "apps/*")...)
}

// cache measures what a run costs that finds in the cache what an earlier one rendered.
func (b *bench) cache(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		fmt.Fprintln(os.Stderr, "no git: no repository to compare revisions of")
		return nil
	}
	count := b.cached
	if b.quick {
		count = 9
	}
	e, err := b.writeCachedEstate(ctx, count, 30)
	if err != nil {
		return err
	}
	warm := []string{"--render-cache", b.path("warm")}
	cold := e.render("cold-out", "--render-cache", b.path("cold"))
	cold.fresh = b.path("cold")
	second := e.render("warm-out", warm...)
	const first = "the first run, into an empty cache"
	if err := e.row(ctx, "rendered again from --render-cache", first, cold, second, timesLess(50, 0),
		func(ctx context.Context) (string, error) {
			if _, err := (side{cold, second}).run(ctx); err != nil {
				return "", err
			}
			return e.found(ctx, second, count, 0, "cold-out", "warm-out")
		}); err != nil {
		return err
	}
	if err := e.row(ctx, first, "a run without one", e.render("bare-out"), cold, goal{reach: 1.3},
		func(context.Context) (string, error) {
			return "equal files", sameFolders(b.path("cold-out"), b.path("warm-out"))
		},
	); err != nil {
		return err
	}
	for _, view := range []string{"check", "graph"} {
		if err := e.view(ctx, view); err != nil {
			return err
		}
	}
	return e.oneChange(ctx, warm)
}

// view measures a command that looks at all applications: the first run, into an empty cache, and the next.
func (e *cachedEstate) view(ctx context.Context, name string) error {
	in := func(cache, out string, more ...string) command {
		c := e.run(append(more, name, "apps/*")...)
		c.stdout, c.fresh = e.b.path(out), cache
		return c
	}
	cold, warm := e.b.path(name+"-cold"), e.b.path(name+"-warm")
	bare, first := in("", "view-bare"), in(cold, "view-first", "--render-cache", cold)
	second := in("", "view-second", "--render-cache", warm)
	const into = ", the first run, into an empty cache"
	same := func(runs ...command) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			if _, err := (side(runs)).run(ctx); err != nil {
				return "", err
			}
			return "equal output", equalFiles(runs[0].stdout, runs[1].stdout)
		}
	}
	err := e.row(ctx, name+into, "a run without one", bare, first, goal{reach: 1.3}, same(bare, first))
	if err != nil {
		return err
	}
	return e.row(ctx, name+" again", name+into, first, second, goal{times: true}, same(first, second, second))
}

// oneChange measures the comparison with the last commit after one chart's values changed, and that of two commits.
func (e *cachedEstate) oneChange(ctx context.Context, warm []string) error {
	if err := e.changeValues("1.5.0"); err != nil {
		return err
	}
	if _, err := e.found(ctx, e.render("changed-out", warm...), e.count-1, 1); err != nil {
		return err
	}
	shown := "equal reports; a render rendered that chart only"
	if err := e.compare(ctx, "with the work tree", warm, shown, "--from", "begin"); err != nil {
		return err
	}
	if err := e.commit(ctx, "one"); err != nil {
		return err
	}
	return e.compare(ctx, "of two revisions", warm, "equal reports", "--from", "begin", "--to", "one")
}

// compare measures a comparison over a cache that has all of it.
func (e *cachedEstate) compare(ctx context.Context, name string, warm []string, shown string, args ...string) error {
	diff := append([]string{"diff", "--exit-zero", "apps/*"}, args...)
	without, with := e.run(diff...), e.run(append(slices.Clone(warm), diff...)...)
	without.stdout, with.stdout = e.b.path("diff-without"), e.b.path("diff-with")
	if _, err := (side{with}).run(ctx); err != nil { // fills the cache with what a render did not
		return err
	}
	return e.row(ctx, "diff "+name+", the values of one chart changed", "the same without a cache", without, with, goal{},
		func(ctx context.Context) (string, error) {
			if _, err := (side{without, with}).run(ctx); err != nil {
				return "", err
			}
			return shown, equalFiles(without.stdout, with.stdout)
		})
}

func (e *cachedEstate) row(
	ctx context.Context, name, against string, theirs, ours command, g goal, check func(context.Context) (string, error),
) error {
	_, err := e.b.do(ctx, work{
		name: fmt.Sprintf("%d applications of 30 objects: %s", e.count, name), against: against, runs: 3,
		theirs: side{theirs}, ours: side{ours}, claims: []claim{cpuClaim(g), memoryClaim(goal{})}, check: check,
	})
	return err
}

// found runs a command again and checks how many applications it took from the cache and rendered, and that folders
// which it wrote are equal.
func (e *cachedEstate) found(ctx context.Context, c command, hits, misses int, folders ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], slices.Concat(c.argv[1:], []string{"-v"})...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = c.dir, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("run %s: %w: %s", c, err, firstLine(said.String()))
	}
	want := fmt.Sprintf(": %d found, %d rendered", hits, misses)
	if !strings.Contains(said.String(), want) {
		return "", errors.New("not what was cached:" + want)
	}
	if len(folders) == 2 {
		if err := sameFolders(e.b.path(folders[0]), e.b.path(folders[1])); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("equal files; %d of %d found", hits, hits+misses), nil
}

// sameFolders reports where two folders differ.
func sameFolders(a, b string) error {
	out, err := exec.Command("diff", "-rq", a, b).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s and %s differ: %s", filepath.Base(a), filepath.Base(b), firstLine(string(out)))
	}
	return nil
}
