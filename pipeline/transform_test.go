package pipeline

import (
	"bytes"
	"context"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

func TestTransformsChangeWhatIsNotStampedToo(t *testing.T) {
	before := transforms
	t.Cleanup(func() { transforms = before })
	upper := func(_ context.Context, _ *app.Application, out *render.Output) (*render.Output, error) {
		changed := *out
		changed.Text = bytes.ToUpper(out.Text)
		return &changed, nil
	}
	transforms = append(before[:len(before):len(before)], upper)
	a := app.New(app.Spec{Stream: &render.Output{Kind: render.KindPlain, Text: []byte("kind: x\n")}})
	r, err := Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	if _, err := r.WriteTo(&printed); err != nil || printed.String() != "KIND: X\n" || string(a.Stream().Text) != "kind: x\n" {
		t.Errorf("printed %q, %v, and the stream is %q", &printed, err, a.Stream().Text)
	}
}

func TestAnApplicationsOwnTransformsComeFirstAndInOrder(t *testing.T) {
	add := func(text string) render.Transform {
		return func(_ context.Context, out *render.Output) (*render.Output, error) {
			changed := *out
			changed.Text = append(bytes.Clone(out.Text), text...)
			return &changed, nil
		}
	}
	a := app.New(app.Spec{
		Stream:     &render.Output{Kind: render.KindPlain, Text: []byte("kind: x")},
		Transforms: []render.Transform{add("y"), add("z\n")},
	})
	r, err := Run(t.Context(), a)
	if err != nil || string(r.Output.Text) != "kind: xyz\n" {
		t.Errorf("got %v, %v", r, err)
	}
}
