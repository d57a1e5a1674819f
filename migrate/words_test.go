package migrate

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestASearchFindsTheWordsThatATextHas(t *testing.T) {
	for _, row := range []struct {
		words, has, text string
	}{
		{"he she his hers", "he she hers", "ushers"},
		{"aab ab b", "ab b", "ab"},
		{"aaa", "", "aabaab"},
		{"a.b/ b/c", "a.b/ b/c", "xa.b/cx"},
		{"one", "", ""},
	} {
		if got := foundIn(strings.Fields(row.words), row.text); got != row.has {
			t.Errorf("of %q %q has %q, want %q", row.words, row.text, got, row.has)
		}
	}
}

func TestASearchFindsWhatALookForEachWordFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(most int) string {
		b := make([]byte, 1+r.IntN(most))
		for i := range b {
			b[i] = "ab-"[r.IntN(3)]
		}
		return string(b)
	}
	for range 2000 {
		all, text := []string{some(4), some(5), some(3), some(6)}, some(30)
		var want []string
		for _, word := range all {
			if strings.Contains(text, word) {
				want = append(want, word)
			}
		}
		if got := foundIn(all, text); got != strings.Join(want, " ") {
			t.Fatalf("of %q %q has %q, want %q", all, text, got, want)
		}
	}
}

// foundIn returns the words that a search finds in a text, in their order.
func foundIn(all []string, text string) string {
	has := make([]bool, len(all))
	newWords(all).each([]byte(text), func(word, end int) {
		has[word] = strings.HasSuffix(text[:end], all[word])
	})
	var found []string
	for i, has := range has {
		if has {
			found = append(found, all[i])
		}
	}
	return strings.Join(found, " ")
}
