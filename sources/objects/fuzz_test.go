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
func contentsOf(text []byte, keepNodes bool) (out [][]byte) {
	for _, isAnswered := range []bool{false, true} {
		x := NewIndex(Options{Level: 1, KeepNodes: keepNodes})
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
		resolution := Resolve(x)
		if isAnswered {
			resolution = resolution.WithAnswers(sameAnswers(resolution))
		}
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

// sameAnswers returns one answer for everything that an index names.
func sameAnswers(r *Resolution) *sources.Answers {
	var refs []sources.Ref
	var c Content
	for o := range r.index.All() {
		r.ReadRefs(o, &c)
		for _, a := range c.RemoteRefs {
			refs = append(refs, a.Ref)
		}
	}
	questions := sources.NewQuestions(refs)
	answers := make([]sources.Answer, len(questions.Refs()))
	for i := range answers {
		answers[i].Version = "7"
	}
	return sources.NewAnswers(questions, answers)
}

// FuzzContentIsTheSameEachTime holds what every digest needs: no failure, whatever a manifest holds, the same bytes
// each time and whatever is kept of the manifest, and each key once.
func FuzzContentIsTheSameEachTime(f *testing.F) {
	for _, v := range contentVectors(f) {
		f.Add([]byte(v.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		one, two := contentsOf(text, false), contentsOf(bytes.Clone(text), true)
		if !slices.EqualFunc(one, two, bytes.Equal) {
			t.Fatalf("%q\n%q", one, two)
		}
	})
}
