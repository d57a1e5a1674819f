package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/sources/lock"
)

// growing is what a run is given more and more of.
type growing struct {
	what string
	// write writes an input of so many below a folder, and returns the command that is measured on it.
	write func(ctx context.Context, dir string, n int) (command, error)
}

// grownSizes are how many there are, from one run to the next, until one takes longer than the limit.
var grownSizes = []int{10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000}

// growth prints how what a run costs grows with what it is given, as a table in Markdown of the rows that fit a
// pattern.
func (b *bench) growth(ctx context.Context, rows *regexp.Regexp, limit time.Duration) error {
	head := "| CPU of ours, ms | "
	for _, n := range grownSizes {
		head += fmt.Sprintf("%d | ", n)
	}
	fmt.Printf("%sexponent |\n|---|%s---|\n", head, strings.Repeat("---|", len(grownSizes)))
	start, err := b.leastRun(ctx)
	if err != nil {
		return err
	}
	for i, g := range b.grown() {
		if !rows.MatchString(g.what) {
			continue
		}
		line, points := "| "+g.what+" | ", []point(nil)
		over := false
		for _, n := range grownSizes {
			if over {
				line += "| "
				continue
			}
			dir := b.path(fmt.Sprintf("growth-%d-%d", i, n))
			cpu, err := leastOf(ctx, g, dir, n)
			if err != nil {
				return fmt.Errorf("%s, %d: %w", g.what, n, err)
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			line += fmt.Sprintf("%d | ", cpu.Milliseconds())
			if over = cpu > limit; cpu > 3*start {
				points = append(points, point{math.Log(float64(n)), math.Log((cpu - start).Seconds())})
			}
		}
		fmt.Println(line + slopeOf(points) + " |")
	}
	fmt.Printf("\nstart-up: %d ms; the exponent is fitted to what takes three times as long, beyond it\n", start.Milliseconds())
	return nil
}

// leastRun returns what the least run costs.
func (b *bench) leastRun(ctx context.Context) (time.Duration, error) {
	return leastOf(ctx, growing{write: func(_ context.Context, dir string, _ int) (command, error) {
		return b.render(dir), writeOneObjectChart(dir)
	}}, b.path("growth-start"), 1)
}

// leastOf returns the least that a run costs: of three where that is quick.
func leastOf(ctx context.Context, g growing, dir string, n int) (least time.Duration, err error) {
	c, err := g.write(ctx, dir, n)
	if err != nil {
		return 0, err
	}
	for i := 0; i < 3 && least < time.Second; i++ {
		used, err := c.run(ctx)
		if err != nil {
			return 0, err
		}
		if least == 0 || used.cpu < least {
			least = used.cpu
		}
	}
	return least, nil
}

type point struct{ x, y float64 }

// slopeOf returns the exponent that fits the points best, in words.
func slopeOf(all []point) string {
	if len(all) < 3 {
		return "too few"
	}
	var x, y, xx, xy float64
	for _, p := range all {
		x, y, xx, xy = x+p.x, y+p.y, xx+p.x*p.x, xy+p.x*p.y
	}
	n := float64(len(all))
	return fmt.Sprintf("%.2f", (n*xy-x*y)/(n*xx-x*x))
}

// grown are the rows.
func (b *bench) grown() []growing {
	stream := func(more ...string) func(context.Context, string, func(io.Writer)) (command, error) {
		return func(_ context.Context, dir string, w func(io.Writer)) (command, error) {
			all := filepath.Join(dir, "all.yaml")
			return command{argv: append([]string{b.ours}, more...), dir: dir, stdin: all},
				writeFiles(dir, map[string]func(io.Writer){"all.yaml": w})
		}
	}
	stamped := stream("stamp")
	return []growing{
		{"objects of a kustomization", func(_ context.Context, dir string, n int) (command, error) {
			return b.render(dir), writeKustomization(dir, n)
		}},
		{"objects of a chart", func(_ context.Context, dir string, n int) (command, error) {
			return b.render(dir), writeChart(dir, n)
		}},
		{"objects of a stream", func(ctx context.Context, dir string, n int) (command, error) {
			return stamped(ctx, dir, func(w io.Writer) { writeApps(w, 0, max(1, n/kinds), false) })
		}},
		{"objects, each with findings that check prints", func(_ context.Context, dir string, n int) (command, error) {
			return command{argv: []string{b.ours, "check", "-v", dir}}, writeStream(filepath.Join(dir, "all.yaml"), n)
		}},
		{"applications of 3 objects", func(_ context.Context, dir string, n int) (command, error) {
			return command{argv: []string{b.ours, "render", "--output-dir", "out", "apps/*"}, dir: dir}, writeSmall(dir, n)
		}},
		{"Applications of Argo CD, of 3 objects", b.writeArgo},
		{"Kustomizations of Flux, of 3 objects, with values", b.writeFlux},
		{"applications of a comparison, one of which changed", b.writeCompared},
		{"commits between the sides of a comparison", b.writeHistory},
		{"references of a workload", func(ctx context.Context, dir string, n int) (command, error) {
			return stamped(ctx, dir, func(w io.Writer) { writeReferences(w, n) })
		}},
		{"keys of a ConfigMap", func(ctx context.Context, dir string, n int) (command, error) {
			return stamped(ctx, dir, func(w io.Writer) { writeKeys(w, n) })
		}},
		{"ExternalSecrets, by their specs", func(ctx context.Context, dir string, n int) (command, error) {
			return stamped(ctx, dir, func(w io.Writer) { writeExternals(w, n) })
		}},
		{"lines of a lock, and ExternalSecrets", func(ctx context.Context, dir string, n int) (command, error) {
			c, err := stream("stamp", "--secrets", "lock")(ctx, dir, func(w io.Writer) { writeExternals(w, n) })
			if err != nil {
				return c, err
			}
			return c, writeFiles(dir, map[string]func(io.Writer){
				"rollstamp.lock": func(w io.Writer) { writeLock(w, lock.Schema, external{n, 2}, n) }})
		}},
	}
}

// writeSmall writes applications of three objects, as plain manifests.
func writeSmall(dir string, n int) error {
	for i := range n {
		err := writeFiles(filepath.Join(dir, "apps", fmt.Sprintf("app-%05d", i)),
			map[string]func(io.Writer){"all.yaml": func(w io.Writer) { writeApp(w, i, false) }})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeCompared writes a repository of small applications, of which one has changed since its commit.
func (b *bench) writeCompared(ctx context.Context, dir string, n int) (command, error) {
	c := command{argv: []string{b.ours, "diff", "--from", "HEAD", "--exit-zero", "apps/*"}, dir: dir}
	err := writeSmall(dir, n)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "begin"}} {
		if err == nil {
			err = gitIn(ctx, dir, nil, args...)
		}
	}
	if err != nil {
		return c, err
	}
	return c, writeFiles(filepath.Join(dir, "apps", "app-00000"),
		map[string]func(io.Writer){"all.yaml": func(w io.Writer) { writeApp(w, 1, false) }})
}

// writeHistory writes a repository with so many commits of another file between two states of an application.
func (b *bench) writeHistory(ctx context.Context, dir string, n int) (command, error) {
	c := command{argv: []string{b.ours, "diff", "--from", "first", "--to", "main", "--exit-zero", "app"}, dir: dir}
	var in bytes.Buffer
	file := func(name string, write func(io.Writer)) {
		var text bytes.Buffer
		write(&text)
		fmt.Fprintf(&in, "M 644 inline %s\ndata %d\n%s\n", name, text.Len(), text.Bytes())
	}
	commit := func(i int) {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter bench <bench@example.com> %d +0000\ndata 1\nx\n", 1_700_000_000+i)
	}
	commit(0)
	file("app/all.yaml", func(w io.Writer) { writeApp(w, 0, false) })
	fmt.Fprint(&in, "reset refs/tags/first\nfrom refs/heads/main\n\n")
	for i := range n {
		commit(i + 1)
		file("other.txt", text(fmt.Sprint(i)))
	}
	commit(n + 1)
	file("app/all.yaml", func(w io.Writer) { writeApp(w, 1, false) })
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, err
	}
	if err := gitIn(ctx, dir, nil, "init", "-q", "-b", "main"); err != nil {
		return c, err
	}
	return c, gitIn(ctx, dir, &in, "fast-import", "--quiet")
}

func gitIn(ctx context.Context, dir string, in io.Reader, args ...string) error {
	who := []string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}
	cmd := exec.CommandContext(ctx, "git", append(who, args...)...)
	cmd.Dir, cmd.Stdin = dir, in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// writeReferences writes a workload that reads so many ConfigMaps.
func writeReferences(w io.Writer, n int) {
	fmt.Fprint(w, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      app: web\n"+
		"  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n        - name: web\n"+
		"          image: web:1\n          envFrom:\n")
	for i := range n {
		fmt.Fprintf(w, "            - configMapRef:\n                name: config-%05d\n", i)
	}
	for i := range n {
		fmt.Fprintf(w, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-%05d\ndata:\n  KEY: value\n", i)
	}
}

// writeKeys writes a ConfigMap of so many keys, with a workload that reads all of them.
func writeKeys(w io.Writer, n int) {
	fmt.Fprint(w, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app-00000\ndata:\n  app.properties: a\n")
	for k := range n {
		fmt.Fprintf(w, "  SETTING_%02d: %q\n", k, filler(0, k, 48))
	}
	fmt.Fprint(w, "---\n", strings.NewReplacer("NAME", "app-00000", "IMAGE", "web:1").Replace(deployment))
}

// writeExternals writes so many apps with ExternalSecrets of two keys.
func writeExternals(w io.Writer, n int) {
	for i := range n {
		fmt.Fprint(w, "---\n")
		writeExternal(w, i, 2)
	}
}
