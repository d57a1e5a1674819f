package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// apps writes so many applications and returns their paths, relative to the benchmark's folder.
func (b *bench) apps(name string, count, objects int, write func(dir string, objects int) error) ([]string, error) {
	var paths []string
	for i := range count {
		path := filepath.Join(name, fmt.Sprintf("app-%03d", i))
		if err := write(b.path(path), objects); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// renderAll renders applications into a folder, which is made again.
func (b *bench) renderAll(out string, apps []string, env ...string) command {
	argv := append([]string{b.ours, "render", "--output-dir", out}, apps...)
	return command{argv: argv, dir: b.dir, env: env, fresh: b.path(out)}
}

// manyCharts renders charts in one run, where the stock tool is started for each.
func (b *bench) manyCharts(ctx context.Context) error {
	count := 100
	if b.quick {
		count = 5
	}
	apps, err := b.apps("small", count, kinds, writeChart)
	if err != nil {
		return err
	}
	var theirs, printed side
	for i, app := range apps {
		c := b.template(b.path(app))
		theirs = append(theirs, c)
		c.stdout = b.path(fmt.Sprintf("small-%03d.yaml", i))
		printed = append(printed, c)
	}
	ours := b.renderAll("small-out", apps)
	_, err = b.do(ctx, work{
		name:    fmt.Sprintf("%d small charts, one run with --output-dir", count),
		against: fmt.Sprintf("%d x helm template", count), runs: 5,
		theirs: theirs, ours: side{ours}, claims: []claim{cpuClaim(timesLess(60, 100))},
		check: func(ctx context.Context) (string, error) {
			if _, err := append(printed, ours).run(ctx); err != nil {
				return "", err
			}
			stamps := 0
			for i, app := range apps {
				n, err := b.lessStamps(ctx, printed[i].stdout, filepath.Join(ours.fresh, app, "manifests.yaml"))
				if err != nil {
					return "", err
				}
				stamps += n
			}
			return fmt.Sprintf("%d equal files; %d stamps", len(apps), stamps), nil
		},
	})
	return err
}

// twoCores measures what a second processor is worth, by the clock on the wall.
func (b *bench) twoCores(ctx context.Context) error {
	if runtime.NumCPU() < 2 {
		fmt.Fprintln(os.Stderr, "one processor only: no speed-up to measure")
		return nil
	}
	for _, set := range []struct {
		name  string
		count int
		write func(string, int) error
		goal  goal
	}{
		{"charts", 40, writeChart, timesLess(1.7, 0)},
		{"kustomizations", 20, writeKustomization, timesLess(1.6, 0)},
	} {
		if b.quick {
			set.count = 4
		}
		apps, err := b.apps("cores-"+set.name, set.count, 100, set.write)
		if err != nil {
			return err
		}
		one := b.renderAll("cores-one", apps, "GOMAXPROCS=1")
		one.onOne = true // a run is two processes, which start side by side
		two := b.renderAll("cores-two", apps, "GOMAXPROCS=2")
		_, err = b.do(ctx, work{
			name: fmt.Sprintf("%d %s of 100 objects, two cores", set.count, set.name), against: "the same on one core", runs: 9,
			theirs: side{one}, ours: side{two},
			claims: []claim{{what: "wall time", figure: wall, unit: "ms", goal: set.goal}},
			check: func(ctx context.Context) (string, error) {
				_, err := side{one, two}.run(ctx)
				return "equal bytes", errors.Join(err, equalFolders(one.fresh, two.fresh))
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
