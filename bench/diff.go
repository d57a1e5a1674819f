package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// estate is a repository of charts and kustomizations in equal numbers. All charts are rendered with one shared values
// file, all kustomizations stand on one base.
type estate struct {
	dir  string
	apps []string // relative to dir
}

const (
	sharedValues = "shared/values.yaml"
	sharedBase   = "base/common.yaml"
	common       = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: common\ndata:\n  key: %s\n"
)

// writeEstate writes the repository with three commits: the tags are begin, one (an application of its own changes) and
// all (what all of them share does).
func (b *bench) writeEstate(ctx context.Context, name string, count, objects int) (*estate, error) {
	e := &estate{dir: b.path(name)}
	for i := range count {
		app := fmt.Sprintf("apps/app-%03d", i)
		e.apps = append(e.apps, app)
		if i%2 == 0 {
			if err := writeChart(filepath.Join(e.dir, app), objects); err != nil {
				return nil, err
			}
			continue
		}
		err := writeFiles(filepath.Join(e.dir, app), map[string]func(io.Writer){
			"kustomization.yaml": text("resources:\n  - ../../base\n  - all.yaml\n"),
			"all.yaml":           func(w io.Writer) { writeApps(w, 0, max(1, objects/kinds), false) },
		})
		if err != nil {
			return nil, err
		}
	}
	if err := e.writeApplications(); err != nil {
		return nil, err
	}
	for _, commit := range []struct {
		tag   string
		files map[string]func(io.Writer)
	}{
		{"begin", map[string]func(io.Writer){
			sharedValues: text("image:\n  tag: 1.4.0\n"), sharedBase: text(fmt.Sprintf(common, "value")),
			"base/kustomization.yaml": text("resources:\n  - common.yaml\n"),
		}},
		{"one", map[string]func(io.Writer){
			"apps/app-000/values.yaml": text("image:\n  repository: registry.example.com/team/other\n  tag: 1.4.0\n"),
		}},
		{"all", map[string]func(io.Writer){sharedValues: text("image:\n  tag: 1.5.0\n"),
			sharedBase: text(fmt.Sprintf(common, "other"))}},
	} {
		if err := writeFiles(e.dir, commit.files); err != nil {
			return nil, err
		}
		if err := e.commit(ctx, commit.tag); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// commit keeps what is there, and a copy of it beside the repository for the tools that need files.
func (e *estate) commit(ctx context.Context, tag string) error {
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q",
			"-m", tag}, {"tag", tag},
		{"worktree", "add", "-q", "--detach", e.files(tag), tag},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = e.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

func (e *estate) files(tag string) string { return e.dir + "-" + tag }

// manifestsOf is where the stock tools put an application's manifests.
func (b *bench) manifestsOf(tag, app string) string {
	return b.path("rendered", tag, strings.ReplaceAll(app, "/", "-")+".yaml")
}

// rest renders everything on both sides and compares the folders.
func (b *bench) rest(e *estate, from, to string) (side, error) {
	var out side
	for _, tag := range []string{from, to} {
		if err := os.MkdirAll(b.path("rendered", tag), 0o755); err != nil {
			return nil, err
		}
		for i, app := range e.apps {
			path := filepath.Join(e.files(tag), app)
			c := command{argv: []string{b.kustomize, "build", path}, stdout: b.manifestsOf(tag, app)}
			if i%2 == 0 {
				c.argv = append(b.template(path).argv, "-f", filepath.Join(e.files(tag), sharedValues))
			}
			out = append(out, c)
		}
	}
	differ := `diff -r "$0" "$1"; test $? = 1`
	return append(out, command{argv: []string{"sh", "-c", differ, b.path("rendered", from), b.path("rendered", to)}}), nil
}

// diffs compares revisions of a repository, where today everything is rendered twice.
func (b *bench) diffs(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		fmt.Fprintln(os.Stderr, "no git: no repository to compare revisions of")
		return nil
	}
	count := 200
	if b.quick {
		count = 6
	}
	e, err := b.writeEstate(ctx, "estate", count, 30)
	if err != nil {
		return err
	}
	byPath := []string{"apps/*", "-f", sharedValues}
	described := []string{"--as", "argocd", "argocd", "--repo", address + "=."}
	for _, row := range []struct {
		name, from, to string
		args           []string
		goal           goal
	}{
		{"one of them changed", "begin", "one", byPath, timesLess(10, 0)},
		{"all of them changed", "one", "all", byPath, timesLess(3, 0)},
		{"--as argocd, one of them changed", "begin", "one", described, timesLess(10, 0)},
	} {
		theirs, err := b.rest(e, row.from, row.to)
		if err != nil {
			return err
		}
		ours := command{dir: e.dir, argv: append([]string{b.ours, "diff", "--from", row.from, "--to", row.to,
			"--exit-zero"}, row.args...)}
		_, err = b.do(ctx, work{
			name: fmt.Sprintf("diff of %d apps, %s", count, row.name), against: "both sides rendered, then diff -r", runs: 3,
			theirs: theirs, ours: side{ours}, claims: []claim{cpuClaim(row.goal)},
			check: func(ctx context.Context) (string, error) {
				return b.sameChanges(ctx, e, row.from, row.to, theirs, ours)
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sameChanges checks that both find the same applications changed.
func (b *bench) sameChanges(
	ctx context.Context, e *estate, from, to string, theirs side, ours command,
) (string, error) {
	ours.argv = append(slices.Clip(ours.argv), "-o", "json")
	ours.stdout = b.path("diff.json")
	if _, err := append(theirs[:len(theirs):len(theirs)], ours).run(ctx); err != nil {
		return "", err
	}
	text, err := os.ReadFile(ours.stdout)
	if err != nil {
		return "", err
	}
	var found struct {
		Apps []struct{ Name, Status string }
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return "", err
	}
	var changed, differ []string
	for _, app := range found.Apps {
		if app.Status != "same" {
			changed = append(changed, filepath.Base(app.Name)) // of the path, or of the Application
		}
	}
	for _, app := range e.apps {
		if equalFiles(b.manifestsOf(from, app), b.manifestsOf(to, app)) != nil {
			differ = append(differ, filepath.Base(app))
		}
	}
	if !slices.Equal(changed, differ) || len(found.Apps) != len(e.apps) {
		err = fmt.Errorf("%d of %d apps are reported as changed, %d of %d differ", len(changed), len(found.Apps),
			len(differ), len(e.apps))
	}
	return fmt.Sprintf("the same %d apps changed", len(differ)), err
}
