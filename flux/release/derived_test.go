package release

import (
	"context"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// counted is an engine that renders one ConfigMap and counts how often it does.
type counted int

func (c *counted) Render(context.Context, render.Request) (*render.Output, error) {
	*c++
	text := "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {part: other-part}\n"
	return &render.Output{Text: []byte(text)}, nil
}

func TestARenderWithOtherValuesIsMadeOnceSomethingIsShown(t *testing.T) {
	var renders counted
	unchanged := func(_ context.Context, out *render.Output) (*render.Output, error) { return out, nil }
	h := hider{values: redact.NewValues("first-part-of-it"), disguise: &disguise{&renders, render.Request{}, unchanged}}
	out := &render.Output{Text: []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {part: first-part}\n")}
	out, err := h.transform(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if out.Embedded(0, len(out.Text)) == nil || out.Secrets().IsEmpty() || renders != 0 {
		t.Errorf("%d renders before something is shown, want none", renders)
	}
	for range 2 {
		if got := out.AllSecrets().In("a first-part of"); got != "a "+redact.Mask+" of" || renders != 1 {
			t.Errorf("%q is shown after %d renders, want one", got, renders)
		}
	}
	if n := len(out.AllHidden()); n != 2 {
		t.Errorf("%d documents with something hidden, want that and what may be anywhere", n)
	}
}
