package pipeline

import (
	"context"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// withAdditions adds the objects and references that the settings of an application say, where it is stamped.
func withAdditions(ctx context.Context, a *app.Application, out *render.Output) (*render.Output, error) {
	if !changesAdditions(a, out) {
		return out, nil
	}
	change := Additions(a.Settings(), a.Stamping().Decrypter)
	if !a.Settings().HasAdditions() {
		change = func(ctx context.Context, out *render.Output) (*render.Output, error) {
			return withoutAdditions(ctx, out, a.Settings())
		}
	}
	added, err := change(ctx, out)
	if err != nil {
		return nil, NewTrace(ctx, a, out).Error(err)
	}
	return added, nil
}

// changesAdditions reports whether the settings of an application add something to a render, or something that an
// earlier run added to it goes.
func changesAdditions(a *app.Application, out *render.Output) bool {
	if a.Stamping() == nil {
		return false
	}
	return a.Settings().HasAdditions() || a.Stamping().ForOutput && shape.IsMarked(out.Text)
}

// Additions returns what adds the objects and references that settings say to a render. What an earlier run added to it
// goes first, with its stamps. A decrypter decrypts values that are copied; nil for none.
func Additions(s *config.Settings, decrypter sources.Decrypter) render.Transform {
	return func(ctx context.Context, out *render.Output) (*render.Output, error) {
		if !s.HasAdditions() {
			return out, nil
		}
		out, err := withoutAdditions(ctx, out, s)
		for _, transform := range shape.Transforms(s, decrypter) {
			if err != nil {
				return nil, err
			}
			out, err = transform(ctx, out)
		}
		return out, err
	}
}

// withoutAdditions returns a render as it was before an earlier run added to it. Names that carry digests go first, and
// so do variables that hold them, which are behind those that were added. Annotations with digests stay where they are.
func withoutAdditions(ctx context.Context, out *render.Output, s *config.Settings) (*render.Output, error) {
	if !shape.IsMarked(out.Text) {
		return out, nil
	}
	bare, err := edited(out, func(text []byte) ([]splice.Edit, error) {
		bare, err := stamp.References(ctx, text, stamp.Options{Settings: s})
		return bare.Edits, err
	})
	if err != nil {
		return nil, err
	}
	return edited(bare, func(text []byte) ([]splice.Edit, error) { return shape.Remove(ctx, text, s) })
}

// edited returns a render with the edits of its text, and of the second one.
func edited(out *render.Output, edits func(text []byte) ([]splice.Edit, error)) (*render.Output, error) {
	first, err := edits(out.Text)
	if err != nil {
		return nil, err
	}
	second, err := edits(out.SecondRender)
	if err != nil {
		return nil, err
	}
	return out.Edit(first, second), nil
}
