package splice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// Pairs are written as the items that they stand for are.
func TestPairsAreWrittenAsItems(t *testing.T) {
	lists := []string{
		"name: x\nimage: y\n",
		"name: x",
		"name: x\r\nimage: y\r\n",
		"  # a comment\n  name: x\n",
		"env:\n- name: A\n  value: b\n",
		"env:\n  - name: A\n    value: b\nimage: x\n",
		"env:\n  - name: A\n    value: b",
		"env:\r\n- name: A\r\n  value: b\r\nimage: x\r\n",
		"env:\n- a\n  # a comment\nimage: x\n",
	}
	keys := [][2]string{{"name", "value"}, {"y", "x: y"}, {"same", "same"}, {"<<", "a"}, {strings.Repeat("k", 101), "a"}}
	pairs := [][][2]string{
		nil,
		{{"ROLLSTAMP_CONFIGMAP_WEB", "v1-0123456789abcdef"}},
		{{"A", "v1-0"}, {"B", "true"}, {"", "a: b"}, {"two\nlines", "1"}},
		{{"quote\"d", "#"}, {"tab\t", "~"}, {"ü", "\u2028"}},
		{{strings.Repeat("long ", 50), "x"}},
		{{"no text", "\xff"}},
	}
	for _, text := range lists {
		d, err := manifest.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tail, ok := splice.TailOf(d.Root(), []string{"env"})
		if !ok {
			t.Fatalf("%q has no tail", text)
		}
		for _, k := range keys {
			for _, p := range pairs {
				items := make([]any, len(p))
				for i, one := range p {
					items[i] = splice.Fields{{Key: k[0], Value: one[0]}, {Key: k[1], Value: one[1]}}
				}
				want, wantErr := splice.AppendItems(d.Root(), []string{"env"}, items)
				for name, appended := range map[string]func() ([]splice.Edit, error){
					"items": func() ([]splice.Edit, error) { return tail.Append(items) },
					"pairs": func() ([]splice.Edit, error) { return tail.AppendPairs(k, p) },
				} {
					got, err := appended()
					if (err == nil) != (wantErr == nil) || !slices.Equal(got, want) {
						t.Errorf("%s: %q with %q %q:\n got %+v, %v\nwant %+v, %v", name, text, k, p, got, err, want, wantErr)
					}
				}
			}
		}
	}
}
