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

// answer returns an index with the answers of a vector, which names stores without namespaces and searches without what
// they look for.
func answer(t testing.TB, x *Index, v contentVector) *Resolution {
	t.Helper()
	if v.Answers == nil {
		return Resolve(x)
	}
	var refs []sources.Ref
	answers := map[string]sources.Answer{}
	o, _ := x.Find(v.Kind, "", v.Object)
	for _, a := range read(x, o).RemoteRefs {
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
		answered, known := v.Answers[place]
		if !known {
			t.Fatalf("nobody answers for %s", place)
		}
		refs, answers[ref.ID()] = append(refs, ref), sources.Answer{Version: answered.Version, Digest: answered.Value}
	}
	questions := sources.NewQuestions(refs)
	return Resolve(x).WithAnswers(sources.NewAnswers(questions, inOrder(questions.Refs(), answers)))
}

func inOrder(refs []sources.Ref, answers map[string]sources.Answer) (out []sources.Answer) {
	for _, ref := range refs {
		out = append(out, answers[ref.ID()])
	}
	return out
}

func TestStandInsAreAsTheVectorsSay(t *testing.T) {
	t.Parallel()
	for _, v := range contentVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			x := NewIndex(Options{Level: 1, Ask: v.Ask})
			indexOf(t, x, v.Text)
			resolution := answer(t, x, v)
			o, source := x.Find(v.Kind, "", v.Object)
			if o == nil {
				t.Fatalf("%s %s is %s", v.Kind, v.Object, source)
			}
			got := map[string]string{}
			var c Content
			resolution.Read(o, &c)
			for _, p := range c.Pairs {
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
