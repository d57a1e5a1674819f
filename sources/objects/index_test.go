package objects

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

// stream writes objects given as "Kind namespace/name" with apiVersion v1; the namespace may be missing.
func stream(objects ...string) string {
	var b strings.Builder
	for i, o := range objects {
		kind, rest, _ := strings.Cut(o, " ")
		namespace, name, both := strings.Cut(rest, "/")
		if !both {
			namespace, name = "", rest
		}
		b.WriteString("---\napiVersion: v1\nkind: " + kind + "\nmetadata:\n  name: " + name + "\n")
		if namespace != "" {
			b.WriteString("  namespace: " + namespace + "\n")
		}
		b.WriteString("data: {n: '" + string(rune('0'+i)) + "'}\n")
	}
	return b.String()
}

// TestAReferenceMeansTheObjectOfItsNamespace finds ConfigMap x for a workload: want is the number of the object in the
// stream, or why there is none.
func TestAReferenceMeansTheObjectOfItsNamespace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		namespace string // of the render, "" where it is not known
		objects   []string
		workload  string // its namespace
		want      string
	}{
		{"none is known", "", []string{"ConfigMap x"}, "", "0"},
		{"the same", "", []string{"ConfigMap a/x"}, "a", "0"},
		{"another", "", []string{"ConfigMap a/x"}, "b", Absent},
		{"the object's is not known", "", []string{"ConfigMap x"}, "a", "0"},
		{"the workload's is not known", "", []string{"ConfigMap a/x"}, "", "0"},
		{"the workload's is not known, and there are two", "", []string{"ConfigMap a/x", "ConfigMap b/x"}, "", Ambiguous},
		{"the workload's is not known, nor one of two objects'", "", []string{"ConfigMap a/x", "ConfigMap x"}, "", "1"},
		{"the exact one comes before one that is not known", "", []string{"ConfigMap x", "ConfigMap a/x"}, "a", "1"},
		{"the exact one comes first in the text", "", []string{"ConfigMap a/x", "ConfigMap x"}, "a", "0"},
		{"one that is not known, beside one of another namespace", "", []string{"ConfigMap x", "ConfigMap b/x"}, "a", "0"},
		{"the same name in two namespaces is two objects", "", []string{"ConfigMap a/x", "ConfigMap b/x"}, "b", "1"},
		{"another kind", "", []string{"Secret a/x"}, "a", Absent},
		{"another name", "", []string{"ConfigMap a/y"}, "a", Absent},
		{"the render's for both", "a", []string{"ConfigMap x"}, "", "0"},
		{"the render's for the object", "a", []string{"ConfigMap x"}, "a", "0"},
		{"the render's for the workload", "a", []string{"ConfigMap a/x"}, "", "0"},
		{"the render's is not the workload's", "a", []string{"ConfigMap x"}, "b", Absent},
		{"the render's is not the object's", "a", []string{"ConfigMap b/x"}, "", Absent},
		{"the render's decides between two", "a", []string{"ConfigMap b/x", "ConfigMap x"}, "", "1"},
		{"the last of two counts", "", []string{"ConfigMap a/x", "ConfigMap a/x"}, "a", "1"},
		{"the last of two counts, one by the render's namespace", "a", []string{"ConfigMap a/x", "ConfigMap x"}, "a", "1"},
		{"nothing at all", "", nil, "a", Absent},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := indexed(t, c.namespace, stream(c.objects...))
			o, source := x.Find("ConfigMap", c.workload, "x")
			got := source
			if o != nil {
				if source != Stream {
					t.Errorf("an object from %s", source)
				}
				got = string(read(x, o).Pairs[0].Value.Reveal())
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOnlyObjectsOfTheCoreAPIHoldContent(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(stream("ConfigMap x", "Secret x"), "apiVersion: v1", "apiVersion: example.com/v1")
	x := indexed(t, "", text)
	for _, kind := range []string{"ConfigMap", "Secret"} {
		if o, source := x.Find(kind, "", "x"); o != nil || source != Absent {
			t.Errorf("%s: found in %s", kind, source)
		}
	}
	if len(x.Objects()) != 0 {
		t.Errorf("%d objects", len(x.Objects()))
	}
}

func TestAnObjectThatComesAgainIsReported(t *testing.T) {
	t.Parallel()
	x := NewIndex(Options{Namespace: "a", Level: 1})
	var got []bool
	for _, text := range []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: b}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: a}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
		"apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: x}\n", "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: x}\n",
	} {
		d, err := manifest.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for o := range d.Objects() {
			_, again := x.Add(o, d.Clone)
			got = append(got, again)
		}
	}
	for i, again := range []bool{false, false, false, true, false, false, false, true} {
		if got[i] != again {
			t.Errorf("object %d: again is %t", i, got[i])
		}
	}
	if n := len(x.Objects()); n != 4 {
		t.Errorf("%d objects: one that is replaced stays in the list, one without a name is in none", n)
	}
}

func TestAClassOfSecretProvidersHoldsWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	x := indexed(t, "", "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: vault, namespace: a}\n")
	if o, source := x.Find("SecretProviderClass", "a", "vault"); o == nil || source != Stream || show(read(x, o)) != "*~spec" {
		t.Errorf("got %v from %s", o, source)
	}
	if _, source := x.Find("SecretProviderClass", "b", "vault"); source != Absent {
		t.Errorf("found in another namespace: %s", source)
	}
}

func TestConcernsIsWhatAddTakes(t *testing.T) {
	t.Parallel()
	x := NewIndex(Options{Level: 1})
	for kind, want := range map[string]bool{"ConfigMap": true, "Secret": true, "SecretProviderClass": true, "ExternalSecret": true, "Certificate": true, "SecretStore": true, "Password": true,
		"Deployment": false, "Service": false, "": false, "configmap": false} {
		if got := x.Concerns(manifest.Object{Kind: kind}); got != want {
			t.Errorf("%q: got %t", kind, got)
		}
	}
}
