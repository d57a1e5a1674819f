package render_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func TestPlacesCountLinesThroughLongTextsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for len(text) < 200<<10 {
		text = append(append(text, strings.Repeat("x", r.IntN(90))...), '\n')
		if r.IntN(50) == 0 {
			text = append(text, strings.Repeat("\n", r.IntN(40))...)
		}
	}
	text = append(text, "no line end"...)
	places := render.NewPlaces(text, nil)
	for range 3000 {
		offset := r.IntN(len(text) + 1)
		line := 1 + bytes.Count(text[:offset], []byte("\n"))
		if got := places.At(offset); got != (diag.Position{Line: line}) {
			t.Fatalf("offset %d is in %v, want line %d", offset, got, line)
		}
		if got := places.Line(line); got != (diag.Position{Line: line}) {
			t.Fatalf("line %d is taken for %v", line, got)
		}
	}
}

func TestPlacesTellTheFileAndWhatIsKnownOfTheLine(t *testing.T) {
	places := render.NewPlaces([]byte("a\nb\nc\nd\ne\nf\ng\n"), []render.Origin{{Offset: 2, File: "x.yaml", Line: 7}, {Offset: 6, File: "t.yaml"},
		{Offset: 8}, {Offset: 10, File: "k.yaml", ObjectLine: 3}})
	for line, want := range map[int]diag.Position{
		1: {Line: 1},
		2: {File: "x.yaml", Line: 7},
		3: {File: "x.yaml", Line: 8},
		4: {File: "t.yaml", RenderLine: 4},
		5: {Line: 5},
		7: {File: "k.yaml", Line: 3},
	} {
		if got := places.Line(line); got != want {
			t.Errorf("line %d comes from %v, want %v", line, got, want)
		}
	}
}

func TestLinesFindAnObjectWhereOneLineCanBeMeant(t *testing.T) {
	cases := map[string]struct {
		text, object string
		want         int
	}{
		"the only one of its kind":      {"a: b\nkind: Deployment\nmetadata: {name: x}\n", "Deployment shop/web", 2},
		"the one with its name":         {"kind: Secret\nmetadata:\n  name: a\n---\nkind: Secret\nmetadata:\n  name: web\n", "Secret web", 5},
		"one of two with no other name": {"kind: Secret\nmetadata: {name: web}\n---\nkind: Secret\nmetadata: {name: web}\n", "Secret web", 0},
		"not one that begins its name":  {"kind: Secret\nmetadata: {name: web}\n---\nkind: Secret\nmetadata: {name: web-db}\n", "Secret web-db", 4},
		"the longest in a longer name":  {"kind: Secret\nmetadata: {name: web}\n---\nkind: Secret\nmetadata: {name: web-db}\n", "Secret x-web-db", 4},
		"a generator's":                 {"images:\n- name: web\nsecretGenerator:\n- name: web-db\n", "Secret prod-web-db-abc", 4},
		"either of two generators":      {"- name: web\n- name: web\n", "Secret web", 0},
		"nothing of it":                 {"kind: Service\n", "Secret web", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := render.NewLines(nil).Of(file, c.object); got != c.want {
				t.Errorf("found it in line %d, want %d", got, c.want)
			}
		})
	}
}
