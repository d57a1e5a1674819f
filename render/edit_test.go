package render_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// firstOf finds one origin, at a line of the text before any edit.
type firstOf int

func (at firstOf) Origins([]byte) []render.Origin {
	return []render.Origin{{Offset: int(at), File: "a.yaml"}}
}

func TestWhatIsKnownOfATextMovesWithItsEdits(t *testing.T) {
	const text = "aaa\n---\nbbb\n---\nccc\n"
	before := &render.Output{Text: []byte(text), SecondRender: []byte(text), Locator: firstOf(16),
		Origins:  []render.Origin{{File: "0"}, {Offset: 8, File: "1"}, {Offset: 16, File: "2"}},
		Hidden:   []render.Hidden{{Offset: 8}},
		Findings: []diag.Finding{{Line: 3}, {Line: 5}, {Line: 3, File: "f"}, {}}}
	once := before.Edit([]splice.Edit{{Start: 0, End: 4, Text: "a longer one\n"}, {Start: 8, End: 8, Text: "x: y\n"}}, nil)
	after := once.Edit([]splice.Edit{{Start: 0, End: 13}}, []splice.Edit{{Start: 0, End: 1, Text: "z"}})
	if got := string(after.Text); got != "---\nx: y\nbbb\n---\nccc\n" {
		t.Errorf("the text is %q", got)
	}
	if got := string(after.SecondRender); got != "zaa\n---\nbbb\n---\nccc\n" {
		t.Errorf("the second render is %q", got)
	}
	want := []int{0, 4, 17}
	offsets := func(all []render.Origin) (out []int) {
		for _, o := range all {
			out = append(out, o.Offset)
		}
		return out
	}
	if got := offsets(after.Origins); !slices.Equal(got, want) {
		t.Errorf("origins are at %v, want %v", got, want)
	}
	if got := offsets(after.WithOrigins(before.Origins).Origins); !slices.Equal(got, want) {
		t.Errorf("origins of the engine's text are at %v, want %v", got, want)
	}
	if got := offsets(after.Locator.Origins(after.Text)); !slices.Equal(got, []int{17}) {
		t.Errorf("it is located at %v", got)
	}
	if after.Hidden[0].Offset != 4 || before.Hidden[0].Offset != 8 || string(before.Text) != text {
		t.Errorf("hidden at %d, before at %d", after.Hidden[0].Offset, before.Hidden[0].Offset)
	}
	lines := fmt.Sprint(after.Findings[0].Line, after.Findings[1].Line, after.Findings[2].Line, after.Findings[3].Line)
	if lines != "2 5 3 0" {
		t.Errorf("findings are in lines %s", lines)
	}
	if after.Rendered() != before || before.Edit(nil, nil) != before {
		t.Error("what was rendered is another output")
	}
}

func TestLinesOfAFileStayThoseOfTheFileBehindAnEdit(t *testing.T) {
	const text = "# Source: a\none\ntwo\nthree\n---\nother\n"
	before := &render.Output{Text: []byte(text), Origins: []render.Origin{{File: "a.yaml"},
		{Offset: 12, File: "a.yaml", Line: 1}, {Offset: 26, File: "b.yaml"}}}
	after := before.Edit([]splice.Edit{{Start: 16, End: 16, Text: "new\nlines\n"}, {Start: 30, End: 30, Text: "more\n"}}, nil)
	places := render.NewPlaces(after.Text, after.Origins)
	for word, want := range map[string]string{"one": "a.yaml:1", "two": "a.yaml:2", "three": "a.yaml:3", "other": "b.yaml"} {
		if got := places.At(strings.Index(string(after.Text), word)); got.File != strings.Split(want, ":")[0] ||
			got.Line > 0 && got.String() != want {
			t.Errorf("%s comes from %s, want %s", word, got, want)
		}
	}
}

func TestADocumentThatIsInsertedComesFromTheOneBefore(t *testing.T) {
	const text = "one\ntwo\n---\nthree\n---\nother\n"
	before := &render.Output{Text: []byte(text), Origins: []render.Origin{{File: "a.yaml", Line: 1},
		{Offset: 22, File: "b.yaml", Line: 1}}}
	once := before.Edit([]splice.Edit{{Start: 0, End: 4, Text: "1\none\n"}, {Start: 8, End: 8, Text: "---\ncopy\nof\n"}}, nil)
	behind := strings.Index(string(once.Text), "---\nthree")
	after := once.Edit([]splice.Edit{{Start: behind, End: behind, Text: "---\nsecond\n"},
		{Start: len(once.Text), End: len(once.Text), Text: "---\nlast\n"}}, nil)
	places := render.NewPlaces(after.Text, after.Origins)
	for word, want := range map[string]string{"two": "a.yaml:2", "copy": "a.yaml:1", "of": "a.yaml:1", "second": "a.yaml:1",
		"three": "a.yaml:4", "other": "b.yaml:1", "last": "b.yaml:1"} {
		if got := places.At(strings.Index(string(after.Text), word)); got.String() != want {
			t.Errorf("%s comes from %s, want %s", word, got, want)
		}
	}
}
