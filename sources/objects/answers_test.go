package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func TestAnswersAreFoundWhateverTheOrderOfQuestions(t *testing.T) {
	t.Parallel()
	var refs []sources.Ref
	for i := range 40 {
		refs = append(refs, sources.Ref{Store: sources.Store{Kind: "SecretStore", Namespace: "shop", Name: "vault"}, Key: fmt.Sprint("app#", i%30), Property: fmt.Sprint(i % 3)})
	}
	for range 20 {
		rand.Shuffle(len(refs), func(i, k int) { refs[i], refs[k] = refs[k], refs[i] })
		questions := sources.NewQuestions(slices.Clone(refs))
		var ids []string
		var answers []sources.Answer
		for _, ref := range questions.Refs() {
			ids, answers = append(ids, ref.ID()), append(answers, sources.Answer{Version: "of " + ref.ID()})
		}
		if len(ids) != 30 || !slices.IsSorted(ids) {
			t.Fatalf("asked %d: %q", len(ids), ids)
		}
		a := sources.NewAnswers(questions, answers)
		var at sources.Cursor
		rand.Shuffle(len(refs), func(i, k int) { refs[i], refs[k] = refs[k], refs[i] })
		for _, ref := range refs {
			if got := a.Of(&ref, &at).Version; got != "of "+ref.ID() {
				t.Errorf("%s has the answer %q", ref.ID(), got)
			}
		}
		if got := a.Of(&sources.Ref{Key: "nobody asked"}, &at); got.Version != "" {
			t.Errorf("what nobody asked for has the answer %q", got.Version)
		}
	}
}

func TestKeysWithoutNodesAreReadAsAllOthers(t *testing.T) {
	t.Parallel()
	usual := 0
	for _, v := range contentVectors(t) {
		without := contentsOf([]byte(v.Text), false)
		if !slices.EqualFunc(without, contentsOf([]byte(v.Text), true), bytes.Equal) {
			t.Errorf("%s: %q", v.Name, without)
		}
		for _, p := range indexed(t, "", v.Text).Producers() {
			usual += len(p.keys)
		}
	}
	if usual == 0 {
		t.Error("no vector has a usual key")
	}
}

func TestRefsAreTheSameWithAndWithoutTheContent(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, v := range contentVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			x := indexed(t, "", v.Text)
			for o := range x.All() {
				var refs Content
				Resolve(x).ReadRefs(o, &refs)
				alone, with := refs.RemoteRefs, read(x, o).RemoteRefs
				var questions []sources.Ref
				Resolve(x).AppendQuestions(&questions, o, &Content{})
				unpinned := slices.DeleteFunc(slices.Clone(with), func(a RemoteRef) bool { return sources.IsPinned(&a.Ref) })
				if !slices.EqualFunc(questions, unpinned, func(q sources.Ref, a RemoteRef) bool { return q.ID() == a.Ref.ID() }) {
					t.Errorf("%s: asks for %v, and comes from %v", o, questions, unpinned)
				}
				same := func(a, b RemoteRef) bool {
					return a.Producer == b.Producer && a.Key == b.Key && a.Ref.ID() == b.Ref.ID() && a.Node == b.Node
				}
				if !slices.EqualFunc(alone, with, same) {
					t.Errorf("%s: alone %v, with the content %v", o, alone, with)
				}
				asked += len(alone)
			}
		})
	}
	if asked == 0 {
		t.Error("nothing was asked for")
	}
}
