package splice_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

func TestNamesStayTheTextsThatTheyAreInADocumentThatIsEncodedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a boolean and a number", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 012, namespace: n}\ndata: &a {on: \"y\"}\n",
			"apiVersion: v1\ndata:\n  \"true\": \"y\"\nkind: ConfigMap\nmetadata:\n  name: \"012\"\n  namespace: \"n\"\n"},
		{"in a list", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: &m {name: a}\n" +
			"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {<<: *m, namespace: off}\n",
			"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n- apiVersion: v1\n" +
				"  kind: ConfigMap\n  metadata:\n    name: a\n    namespace: \"off\"\nkind: List\n"},
		{"texts", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"n\", namespace: shop}\n",
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"n\"\n  namespace: shop\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := manifest.Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := splice.Reencode(d)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Bytes()) != c.want {
				t.Errorf("encoded again:\n%s\nwant:\n%s", got.Bytes(), c.want)
			}
		})
	}
}
