package objects

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

// vectorBytes is a string for its UTF-8 bytes, or {"base64": ...}.
type vectorBytes []byte

func (v *vectorBytes) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*v = []byte(s)
		return nil
	}
	var binary struct{ Base64 []byte }
	err := json.Unmarshal(raw, &binary)
	*v = binary.Base64
	return err
}

type contentVector struct {
	Name, Text, Kind, Object string
	Ask                      []string
	Answers                  map[string]struct{ Version, Value string }
	Content                  map[string]vectorBytes
}

func contentVectors(t testing.TB) []contentVector {
	t.Helper()
	raw, err := os.ReadFile("../testdata/content.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []contentVector
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 35 {
		t.Fatalf("only %d vectors: the file is not whole", len(all))
	}
	return all
}

// answer sets the answers of a vector in an index, which names stores without namespaces and searches without what they
// look for.
func answer(t testing.TB, x *Index, v contentVector) {
	t.Helper()
	if v.Answers == nil {
		return
	}
	var refs []sources.Ref
	given := map[string]sources.Answer{}
	o, _ := x.Find(v.Kind, "", v.Object)
	for _, a := range o.Content(nil).RemoteRefs {
		ref := a.Ref
		if ref.Version != "" {
			continue
		}
		place := ref.Store.Kind + "/" + ref.Store.Name + " " + ref.Key
		if ref.Property != "" {
			place += "#" + ref.Property
		}
		if ref.Find != nil {
			place = ref.Store.Kind + "/" + ref.Store.Name + " find"
		}
		said, known := v.Answers[place]
		if !known {
			t.Fatalf("nobody answers for %s", place)
		}
		refs, given[ref.ID()] = append(refs, ref), sources.Answer{Version: said.Version, Digest: said.Value}
	}
	questions := sources.NewQuestions(refs)
	x.SetAnswers(sources.NewAnswers(questions, inOrder(questions.Refs(), given)))
}

func inOrder(refs []sources.Ref, given map[string]sources.Answer) (out []sources.Answer) {
	for _, ref := range refs {
		out = append(out, given[ref.ID()])
	}
	return out
}

func TestWhatStandsForValuesIsAsTheVectorsSay(t *testing.T) {
	for _, v := range contentVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			x := indexed(t, "", v.Text)
			x.AskFor(v.Ask...)
			answer(t, x, v)
			o, source := x.Find(v.Kind, "", v.Object)
			if o == nil {
				t.Fatalf("%s %s is %s", v.Kind, v.Object, source)
			}
			got := map[string]string{}
			for _, p := range o.Content(nil).Pairs {
				got[p.Key] = string(p.Value.Reveal())
			}
			for _, key := range slices.Sorted(maps.Keys(v.Content)) {
				if got[key] != string(v.Content[key]) {
					t.Errorf("%s:\ngot  %q\nwant %q", key, got[key], v.Content[key])
				}
				delete(got, key)
			}
			for key, value := range got {
				t.Errorf("%s should not be there: %q", key, strings.ToValidUTF8(value, "?"))
			}
		})
	}
}
