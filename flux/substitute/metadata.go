package substitute

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/metadata"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// CommonMetadata returns what sets labels and annotations on all objects, in place where the text allows it.
func CommonMetadata(labels, annotations map[string]string) render.Transform {
	set := metadata.New(labels, annotations)
	return func(ctx context.Context, out *render.Output) (*render.Output, error) {
		if len(set) == 0 {
			return out, nil
		}
		first, err := edits(ctx, set, out.Text)
		if err != nil {
			return nil, err
		}
		second, err := edits(ctx, set, out.SecondRender)
		if err != nil {
			return nil, err
		}
		return out.Edit(first, second), nil
	}
}

func edits(ctx context.Context, set metadata.Set, text []byte) (all []splice.Edit, err error) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err == nil {
			err = ctx.Err()
		}
		if d == nil || err != nil {
			return all, err
		}
		edits, err := set.Edits(d)
		if err != nil {
			return nil, withPlace(err, d)
		}
		all = append(all, edits...)
	}
}

// withPlace returns an error about a document with the object's name and line, which one of splice has not.
func withPlace(err error, d *manifest.Document) error {
	var known *diag.Error
	if errors.As(err, &known) {
		return err
	}
	out := &diag.Error{Exit: diag.ExitInput, Err: fmt.Errorf("set labels and annotations: %w", err),
		Pos: diag.Position{Line: 1 + bytes.Count(d.Text()[:d.Start], []byte("\n"))}}
	for o := range d.Objects() {
		out.Object = o.String()
		break
	}
	return out
}
