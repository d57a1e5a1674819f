package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
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
	Now     *pipeline.Result // nil where no application renders it any more
	// IsNowWritten: the text of Now counts as it is, with the stamps that it has or has not.
	IsNowWritten bool
	// Kinds are the rules for kinds under which it is stamped.
	Kinds []config.KindRule
	// Compat says which other tools' annotations are in force.
	Compat config.Compat
	// Suspended: what changes of it waits until somebody resumes it.
	Suspended bool
	Applier   app.Applier // what applies it; "" for any
	Namespace string      // of its objects that name none; "" where it is not known
}

// IsUnchanged reports whether what is written has the stamps of now: it is one render for both, whose own text may lack
// them.
func (s *Stale) IsUnchanged() bool { return s.Written != nil && s.Written == s.Now }

// CompareFile compares the file of an application with its result, and writes nothing. It returns nil where they are
// equal.
func CompareFile(ctx context.Context, a *app.Application, now *pipeline.Result) (*Stale, error) {
	have, err := os.ReadFile(a.File())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, diag.Input(diag.Position{File: a.File()}, fmt.Errorf("read: %w", err), "")
	}
	var text bytes.Buffer
	if _, err := now.WriteTo(&text); err != nil {
		return nil, err
	}
	stale := &Stale{Name: a.Name(), File: a.File(), Missing: missing, Now: now, Kinds: a.Settings().Kinds.Value,
		Compat: a.Settings().Compat, Applier: a.Origin().Applier, Namespace: a.Request().Namespace}
	if missing {
		return stale, nil
	}
	if bytes.Equal(have, text.Bytes()) {
		return nil, nil
	}
	stream := streamOf(a.File(), have)
	stream.Namespace, stream.IsRelease = now.Output.Namespace, now.Output.IsRelease
	stale.Written, stale.Err = pipeline.Run(ctx, a.WithStream(stream))
	return stale, nil
}

// LeftoverFile returns the manifests of an application that is not there any more.
func LeftoverFile(ctx context.Context, name, file string) (*Stale, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, diag.Input(diag.Position{File: file}, fmt.Errorf("read: %w", err), "")
	}
	stale := &Stale{Name: name, File: file}
	stale.Written, stale.Err = pipeline.Run(ctx, app.New(app.Spec{Name: name, Stream: streamOf(file, text)}))
	return stale, nil
}

// streamOf returns the manifests in a file as a stream.
func streamOf(file string, text []byte) *render.Output {
	return &render.Output{
		Kind: render.KindPlain, Text: text, Origins: []render.Origin{{File: file, Line: 1}},
	}
}
