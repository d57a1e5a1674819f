package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/report"
)

// stale collects, for render --output-dir --check, the applications whose committed manifests are not what a render gives now.
type stale struct {
	mu       sync.Mutex
	from, to diff.Side
	files    []string
}

// compare looks at one application's file. It writes nothing.
func (s *stale) compare(ctx context.Context, a *app.Application, path, file string, now *pipeline.Result) error {
	have, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.Input(diag.Position{File: file}, fmt.Errorf("read: %w", err), "")
	}
	var text bytes.Buffer
	if _, err := now.WriteTo(&text); err != nil {
		return err
	}
	missing := err != nil
	if !missing && bytes.Equal(have, text.Bytes()) {
		return nil
	}
	before := diff.App{Name: path, AsIs: true}
	if !missing {
		committed := &render.Output{
			Kind: render.KindPlain, Text: have, Origins: []render.Origin{{File: file, Line: 1}}, Namespace: now.Output.Namespace,
		}
		before.Result, before.Err = pipeline.Run(ctx, a.WithStream(committed))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, file)
	s.to.Apps = append(s.to.Apps, diff.App{Name: path, Result: now})
	if !missing {
		s.from.Apps = append(s.from.Apps, before)
	}
	return nil
}

// tell prints what restarts when the stale manifests are written, and ends the run with 1.
func (s *stale) tell(p *program, dir string) error {
	if len(s.files) == 0 {
		return nil
	}
	s.from.Label, s.to.Label = dir, "a render of now"
	c, err := diff.Compare(s.from, s.to)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d of the manifests in %s are not what their sources render to: run it without --check, and commit them.\n", len(s.files), dir)
	report.DiffText(&out, c, report.DiffStyle{Color: p.style().Color && terminal(p.out), All: p.verbose})
	p.exit = diag.ExitFindings
	return p.emit(&out)
}

func checkStale(check bool, dir string, noStamp bool) error {
	if check && (dir == "" || noStamp) {
		return diag.Usage(errors.New("--check belongs to --output-dir, and to stamped manifests"), "It compares what lies there with a render.")
	}
	return nil
}
