package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// compareVersions compares what this program makes of the applications with what another one, or another level, makes of them.
func (p *program) compareVersions(ctx context.Context, d *diffCommand, paths []string) (*diff.Comparison, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	paths, err := expand(nil, paths)
	if err != nil {
		return nil, err
	}
	paths = d.shard.keep(paths)
	from := diff.Side{Label: d.binary, Apps: make([]diff.App, len(paths))}
	if d.level != 0 {
		from.Label = fmt.Sprint("level ", d.level)
	}
	to := diff.Side{Label: "this version", Apps: make([]diff.App, len(paths))}
	here := p.disk()
	errs := pipeline.Each(ctx, len(paths), func(ctx context.Context, i int) error {
		to.Apps[i] = p.diffApp(ctx, &d.renderFlags, here, paths[i])
		if d.level != 0 {
			there := *here
			there.level = config.Level(d.level)
			from.Apps[i] = p.diffApp(ctx, &d.renderFlags, &there, paths[i])
		} else {
			from.Apps[i] = p.other(ctx, d, paths[i])
		}
		return nil
	}, nil)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return diff.Compare(from, to)
}

// other runs another rollstamp, with the flags of this run that shape a render.
func (p *program) other(ctx context.Context, d *diffCommand, path string) diff.App {
	app := diff.App{Name: path, AsIs: true}
	cmd := exec.CommandContext(ctx, d.binary, append(append([]string{"render"}, shaping(d.set)...), "--", path)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		app.Err = diag.Input(diag.Position{File: path}, fmt.Errorf("run %s render: %w: %s", d.binary, err, first), "")
		return app
	}
	a, err := d.applications(p.wiring).Application(ctx, p.wiring.Disk(), path)
	if err == nil {
		out := &render.Output{Kind: render.KindPlain, Text: stdout.Bytes(), Namespace: string(a.Settings().Namespace.Value)}
		app.Result, err = pipeline.Run(ctx, a.WithStream(out))
	}
	app.Err = err
	return app
}

// shaping returns the flags that were set, as arguments, without those that are about comparing.
func shaping(set *pflag.FlagSet) []string {
	own := map[string]bool{"from": true, "to": true, "from-file": true, "to-file": true, "dirs": true, "exit-zero": true, "output": true, "shard": true,
		"against-binary": true, "against-level": true, "verbose": true}
	var args []string
	set.Visit(func(f *pflag.Flag) {
		if own[f.Name] {
			return
		}
		for _, v := range values(f) {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}
