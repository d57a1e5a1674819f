package shape_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/render"
)

const copying = `
kinds:
- group: example.com
  kind: Bucket
  copies:
  - {kind: ConfigMap, name: shared, key: k, to: spec.a.text}
  - {kind: Secret, name: secret, key: p, to: spec.a.person}
  - {kind: Secret, name: secret, key: p, to: spec.b}
`

const copied = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata:\n  k: |\n    a: b\n    - \"c\" # d\n" +
	"---\napiVersion: v1\nkind: Secret\nmetadata: {name: secret}\ndata: {p: eWVz}\n"

// buckets are resources in many styles of YAML.
var buckets = map[string]string{
	"block":         "spec:\n  a:\n    x: 1 # one\n  size: 1\n",
	"braces":        "spec: {a: {x: 1}, size: 1}\n",
	"empty braces":  "spec: {a: {}, size: 1}\n",
	"deeper items":  "spec:\n  a:\n      x:\n        - 1\n        - 2\n  size: 1\n",
	"a literal":     "spec:\n  a:\n    x: |\n      one\n\n      two\n  size: 1\n",
	"quoted":        "\"spec\":\n  \"a\": {\"x\": 'one'}\n  'size': 1\n",
	"no line break": "spec:\n  a:\n    x: 1\n  size: 1",
	"no mapping":    "spec:\n  a: 1\n  size: 1\n",
	"a comment":     "spec:\n  # first\n  a:\n    # second\n    x: 1\n  size: 1\n",
}

func bucketOf(text string) string {
	return "apiVersion: example.com/v1\nkind: Bucket\nmetadata:\n  name: b\n" + text
}

func TestFieldsThatGotValuesAreAsBeforeByteForByte(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, copying)
	for name, text := range buckets {
		for where, all := range map[string]string{
			"behind": copied + "---\n" + bucketOf(text),
			"before": strings.TrimSuffix(bucketOf(text), "\n") + "\n---\n" + copied,
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				out, err := add(s, &render.Output{Text: []byte(all)})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(out.Text), "/spec/b=Secret/secret/p") {
					t.Errorf("there is no mark in\n%s", out.Text)
				}
				if bare := remove(t, s, out); bare != all {
					t.Errorf("after all there is\n%s\nof\n%s", bare, out.Text)
				}
				again, err := add(s, &render.Output{Text: []byte(remove(t, s, out))})
				if err != nil || string(again.Text) != string(out.Text) {
					t.Errorf("%v, and after adding again there is\n%s", err, again.Text)
				}
			})
		}
	}
}

func TestACopiedValueOfASecretIsHiddenWhereItStands(t *testing.T) {
	t.Parallel()
	s := settingsOf(t, copying)
	list := "apiVersion: v1\nkind: List\nitems:\n" +
		"- {apiVersion: v1, kind: Secret, metadata: {name: secret}, data: {p: eWVz}}\n" +
		"- {apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, data: {k: x}}\n" +
		"- {apiVersion: example.com/v1, kind: Bucket, metadata: {name: b}, spec: {a: {}}}\n"
	for text, want := range map[string][]any{
		copied + "---\n" + bucketOf(buckets["block"]): {"spec", "a", "person"},
		list: {"items", 2, "spec", "a", "person"},
	} {
		out, err := add(s, &render.Output{Text: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Hidden) != 2 || !reflect.DeepEqual(out.Hidden[0].Places, []render.HiddenPlace{{Path: want}}) {
			t.Fatalf("hidden is %+v in\n%s", out.Hidden, out.Text)
		}
		if at := string(out.Text[out.Hidden[0].Offset:]); !strings.Contains(at, "kind: Bucket") {
			t.Errorf("what is hidden is in\n%s", at)
		}
		if out.Hidden[0].Decrypted {
			t.Error("nothing was decrypted")
		}
	}
}

func FuzzFieldsThatGotValuesAreAsBefore(f *testing.F) {
	for _, text := range buckets {
		f.Add([]byte(copied + "---\n" + bucketOf(text)))
		f.Add([]byte(copied + "---\n" + bucketOf(strings.ReplaceAll(text, "size: 1", "b: ''"))))
		f.Add([]byte(copied + "---\n" + bucketOf(strings.ReplaceAll(text, "size: 1", "b:"))))
	}
	s := settingsOf(f, copying)
	f.Fuzz(func(t *testing.T, text []byte) { comesAndGoes(t, s, text) })
}
