// Package plain reads manifests that need no rendering: a file, a folder or a stream, joined as documents in a fixed
// order.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/render"
)

// Engine renders a file or a folder of manifests. Its zero value is ready, but for Jsonnet.
type Engine struct {
	Jsonnet render.Evaluator // for what Argo CD calls a directory; nil refuses files of that kind
}

// Render returns the bytes of the file at req.Path, or the selected files of that folder in the order of their paths,
// each after a "---" line. Folders below it are read with Plain.Recursive. A file named .rollstamp.yaml and the folder
// .git are never manifests, nor are hidden files without an object, which are tools' own; every other name counts.
func (e Engine) Render(ctx context.Context, req render.Request) (*render.Output, error) {
	system := files.OrDisk(req.Files)
	info, err := system.Stat(req.Path)
	if err != nil {
		return nil, unreadable(req.Path, err)
	}
	if info.IsDir() && req.Plain.Directory != nil {
		return renderDirectory(ctx, req, e.Jsonnet)
	}
	out := &render.Output{Kind: render.KindPlain, Namespace: req.Namespace}
	names := []string{req.Path}
	if info.IsDir() {
		if names, out.Findings, err = list(ctx, req); err != nil {
			return nil, err
		}
	} else if !info.Mode().IsRegular() {
		return nil, irregular(req.Path)
	}
	all := join{system: system, single: !info.IsDir()}
	all.reserve(names)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", req.Path, err)
		}
		if err := all.file(name); err != nil {
			return nil, err
		}
	}
	out.Text, out.Origins = all.text, all.origins
	out.Inputs, err = absolute(names)
	return out, err
}

// Files reads the files that a user named, in that order, as one stream: one file as it is, several each after a "---"
// line. The name "-" means stdin. A named pipe is read like a file, because the user asked for it. The pieces
// record which part of the text is which file's.
//
// What is read may never come, from a pipe or a terminal: the end of ctx ends the wait.
func Files(ctx context.Context, names []string, stdin io.Reader) (*render.Output, []Piece, error) {
	type answer struct {
		out    *render.Output
		pieces []Piece
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() { done <- a }()
		defer fault.Catch(&a.err)
		a.out, a.pieces, a.err = readFiles(ctx, names, stdin)
	}()
	select {
	case a := <-done:
		return a.out, a.pieces, a.err
	case <-ctx.Done():
		err, hint := errors.New("interrupted while it was read"), ""
		if full := (memory.Exceeded{}); errors.As(context.Cause(ctx), &full) {
			err, hint = fmt.Errorf("%w: %w", err, full), "Allow more with ROLLSTAMP_MAX_MEMORY=8Gi, or divide it."
		}
		return nil, nil, diag.Input(diag.Position{File: names[0]}, err, hint)
	}
}

func readFiles(ctx context.Context, names []string, stdin io.Reader) (*render.Output, []Piece, error) {
	all := join{system: files.Disk{}, single: len(names) == 1}
	all.reserve(names)
	var onDisk []string
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		if name == "-" {
			if err := all.stream("<stdin>", stdin); err != nil {
				return nil, nil, err
			}
			continue
		}
		if err := all.file(name); err != nil {
			return nil, nil, err
		}
		onDisk = append(onDisk, name)
	}
	inputs, err := absolute(onDisk)
	return &render.Output{Kind: render.KindPlain, Text: all.text, Origins: all.origins, Inputs: inputs}, all.pieces, err
}

func absolute(names []string) ([]string, error) {
	out := make([]string, 0, len(names))
	for _, name := range names {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, fmt.Errorf("find the working folder: %w", err)
		}
		out = append(out, abs)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
