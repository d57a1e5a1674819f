package objects

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// contentsOf reads a text, if it can be read, and returns what each object has under each key, over all classes.
func contentsOf(text []byte) (out [][]byte) {
	for _, answers := range []*sources.Answers{nil, sources.NewAnswers(sources.Questions{}, nil)} {
		x := NewIndex(Options{Level: 1})
		r := manifest.NewReader(text)
		for {
			d, err := r.Next()
			if err != nil {
				return nil
			}
			if d == nil {
				break
			}
			keep := sync.OnceValue(d.Clone)
			for o := range d.Objects() {
				x.Add(o, keep)
			}
		}
		resolution := Resolve(x).WithAnswers(answers)
		var c Content
		for o := range x.All() {
			resolution.Read(o, &c)
			for _, p := range c.Pairs {
				out = append(out, append([]byte(o.Kind+" "+o.Name+" "+p.Key+" "), p.Value.Reveal()...))
			}
			for _, m := range o.Producers() {
				m.Problems()
				m.Stale()
			}
		}
	}
	return out
}

// FuzzContentIsTheSameEachTime holds what every digest needs: no failure, whatever a manifest holds, the same bytes
// each time, and each key once.
func FuzzContentIsTheSameEachTime(f *testing.F) {
	for _, v := range contentVectors(f) {
		f.Add([]byte(v.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		one, two := contentsOf(text), contentsOf(bytes.Clone(text))
		if !slices.EqualFunc(one, two, bytes.Equal) {
			t.Fatalf("%q\n%q", one, two)
		}
	})
}
