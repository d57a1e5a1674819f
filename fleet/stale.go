package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// Stale is an application whose written manifests are not what its sources render to.
type Stale struct {
	Name    string
	File    string
	Missing bool             // there is no file
	Written *pipeline.Result // of the file, as it is; nil where Missing or Err
	Err     error            // why what is written cannot be read
	Now     *pipeline.Result
}

// CompareFile compares the file of an application with its result, and writes nothing. It returns nil where they are
// equal.
func CompareFile(ctx context.Context, a *app.Application, now *pipeline.Result) (*Stale, error) {
	written, err := os.ReadFile(a.File())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, diag.Input(diag.Position{File: a.File()}, fmt.Errorf("read: %w", err), "")
	}
	var text bytes.Buffer
	if _, err := now.WriteTo(&text); err != nil {
		return nil, err
	}
	stale := &Stale{Name: a.Name(), File: a.File(), Missing: missing, Now: now}
	if missing {
		return stale, nil
	}
	if bytes.Equal(written, text.Bytes()) {
		return nil, nil
	}
	stale.Written, stale.Err = pipeline.Run(ctx, a.WithStream(&render.Output{
		Kind: render.KindPlain, Text: written, Origins: []render.Origin{{File: a.File(), Line: 1}},
		Namespace: now.Output.Namespace,
	}))
	return stale, nil
}
