package objects

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// indexed reads a stream into an index whose objects lie in namespace where they name none.
func indexed(t testing.TB, namespace, text string) *Index {
	t.Helper()
	x := NewIndex(Options{Namespace: namespace, Level: 1})
	indexOf(t, x, text)
	return x
}

// indexOf reads a stream into an index.
func indexOf(t testing.TB, x *Index, text string) {
	t.Helper()
	r := manifest.NewReader([]byte(text))
	for {
		d, err := r.Next()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d == nil {
			return
		}
		keep := sync.OnceValue(d.Clone)
		for o := range d.Objects() {
			x.Add(o, keep)
		}
	}
}

// contentOf reads a text that holds one ConfigMap or Secret.
func contentOf(t testing.TB, text string) *Content {
	t.Helper()
	x := indexed(t, "", text)
	objects := x.Objects()
	if len(objects) != 1 {
		t.Fatalf("%d objects in\n%s", len(objects), text)
	}
	return read(x, objects[0])
}

// read returns the content of an object that nothing was decrypted or asked for.
func read(x *Index, o *Object) *Content {
	var c Content
	Resolve(x).Read(o, &c)
	return &c
}

func configMap1(body string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n" + body
}

func secret1(body string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n" + body
}

// show returns content as "key=value" words, what stands for a value as "key~class", and its invalid keys as "!key".
func show(c *Content) string {
	var out []string
	for _, p := range c.Pairs {
		if p.StandIn {
			class, _, _ := strings.Cut(string(p.Value.Reveal()), "\x00")
			out = append(out, p.Key+"~"+class)
			continue
		}
		out = append(out, fmt.Sprintf("%s=%q", p.Key, p.Value.Reveal()))
	}
	for _, v := range c.Invalid {
		out = append(out, "!"+v.Key)
	}
	return strings.Join(out, " ")
}

// bodies are fields of ConfigMaps and Secrets that are valid or invalid in one way each.
var bodies = []string{
	"", "data:\n", "data: null\n", "data: ~\n", "data: {}\n", "data: []\n", "data: x\n", "data: 1\n", "data: [a, b]\n", "data:\n- a: b\n",
	"data: {a: x, b: 'y', c: \"z\\n\"}\n", "data: {\"a\": \"\\u00e4\\t\"}\n", "data: {a: , b: null, c: ~, d: ''}\n", "data:\n  a:\n  b: x\n",
	"data: {a: 8080}\n", "data: {a: 0x1f}\n", "data: {a: 1_000}\n", "data: {a: 1e3}\n", "data: {a: .5}\n", "data: {a: .inf}\n", "data: {a: -.INF}\n", "data: {a: .nan}\n",
	"data: {a: 0o17}\n", "data: {a: 017}\n", "data: {a: 0b11}\n", "data: {a: +1}\n", "data: {a: -}\n", "data: {a: '8080'}\n", "data: {a: 1.2.3}\n", "data: {a: 12:30}\n",
	"data: {a: 2001-01-01}\n", "data: {a: 2001-01-01T00:00:00Z}\n", "data: {a: 1m}\n", "data: {a: 10Gi}\n", "data: {a: 0x}\n", "data: {a: 1e}\n", "data: {a: 08}\n", "data: {a: 0.0.0.0}\n",
	"data: {a: y}\n", "data: {a: Y}\n", "data: {a: yes}\n", "data: {a: on}\n", "data: {a: Off}\n", "data: {a: NO}\n", "data: {a: n}\n", "data: {a: true}\n", "data: {a: 'true'}\n", "data: {a: yEs}\n", "data: {a: tRue}\n",
	"data: {a: {b: c}}\n", "data: {a: [b]}\n", "data:\n  a:\n    b: c\n", "data:\n  a:\n  - b\n",
	"data:\n  a: |\n    x\n     y\n\n    z\n\n\n  b: |-\n    x\n  c: |+\n    x\n\n", "data:\n  a: >\n    x\n    y\n\n    z\n", "data:\n  a: x\n    y\n\n    z\n", "data:\n  a: 'x\n    y'\n  b: \"x\n    y \\\n    z\"\n",
	"data:\n  a: |2\n      x\n    y\n", "data:\n  a: |\n", "data:\n  a: |\n\n\n", "data:\n  a: |+\n\n\n", "data:\r\n  a: |\r\n    x\r\n    y\r\n",
	"data: {1: x, 0x10: y, 1.5: z, 1e3: w}\n", "data: {true: x, no: y, on: z}\n", "data: {'1': x, 'true': y}\n", "data: {y: a, n: b}\n", "data:\n  ? a\n  : b\n", "data: {01: x}\n", "data: {1_0: x}\n",
	"data: &d {a: x}\nother: *d\n", "base: &b {a: x, b: y}\ndata:\n  <<: *b\n  b: z\n", "base: &b aGk=\ndata: {a: *b}\n",
	"data: {a: !!str 8080}\n", "data: {a: !!str yes}\n", "data: {a: !!binary aGk=}\n",
	"data: {a: aGk=}\n", "data: {a: aGk}\n", "data: {a: 'aGk= '}\n", "data: {a: ' aGk='}\n", "data: {a: a-k_}\n", "data: {a: YQ==, b: aGVsbG8=}\n", "data: {a: 'a Gk='}\n", "data: {a: '='}\n", "data: {a: YR==}\n",
	"data: {a: \"aG\\nk=\\r\\n\"}\n", "data: {a: \"aG\\tk=\"}\n", "data:\n  a: |\n    aGVs\n    bG8=\n", "data:\n  a: >\n    aGVs\n    bG8=\n", "data:\n  a: aGVs\n    bG8=\n", "data: {a: aGk=aGk=}\n", "data: {a: 1234}\n", "data: {a: '1234'}\n",
	"binaryData: {a: aGk=}\n", "binaryData: {a: null}\n", "binaryData: {a: '!'}\n", "binaryData: {a: 1234}\n", "data: {a: x}\nbinaryData: {b: aGk=}\n",
	"stringData: {a: x}\n", "stringData: {a: 1}\n", "stringData: null\n", "data: {a: aGk=, b: aGk=}\nstringData: {b: x, c: y}\n", "stringData: {b: x}\ndata: {b: aGk=}\n", "data: {a: '!'}\nstringData: {a: x}\n",
	"immutable: true\ndata: {a: x}\n", "type: Opaque\ndata: {}\n",
}

// TestContentIsWhatKubernetesReads compares with the way of kubectl and the API server: their YAML library, then JSON
// into the fields' types.
func TestContentIsWhatKubernetesReads(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, b := range bodies {
		texts = append(texts, configMap1(b), secret1(b))
	}
	valid := 0
	for _, text := range texts {
		want, err := kubernetes(text)
		got := contentOf(t, text)
		switch {
		case err != nil && len(got.Invalid) == 0:
			t.Errorf("Kubernetes refuses (%v) what is taken as %s\n%s", err, show(got), text)
		case err == nil && show(got) != want:
			t.Errorf("got %s\nwant %s\n%s", show(got), want, text)
		case err == nil:
			valid++
		}
	}
	if valid < 80 || valid == len(texts) {
		t.Errorf("%d of %d texts are valid: this does not show much", valid, len(texts))
	}
}

func kubernetes(text string) (string, error) {
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return "", err
	}
	content := map[string]string{}
	if strings.Contains(text, "kind: ConfigMap") {
		var o struct {
			Data       map[string]string `json:"data"`
			BinaryData map[string][]byte `json:"binaryData"`
		}
		if err := json.Unmarshal(j, &o); err != nil {
			return "", err
		}
		maps.Copy(content, o.Data)
		for k, v := range o.BinaryData {
			content[k] = string(v)
		}
	} else {
		var o struct {
			Data       map[string][]byte `json:"data"`
			StringData map[string]string `json:"stringData"`
		}
		if err := json.Unmarshal(j, &o); err != nil {
			return "", err
		}
		for k, v := range o.Data {
			content[k] = string(v)
		}
		maps.Copy(content, o.StringData)
	}
	var c Content
	for _, k := range slices.Sorted(maps.Keys(content)) {
		c.Pairs = append(c.Pairs, Pair{Key: k, Value: redact.New([]byte(content[k]))})
	}
	return show(&c), nil
}

func TestContentOfConfigMapsAndSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"data and binaryData share their keys", configMap1("data: {b: x}\nbinaryData: {a: AAE=}\n"), `a="\x00\x01" b="x"`},
		{"a key in both is invalid", configMap1("data: {a: x, b: z}\nbinaryData: {a: AAE=}\n"), `a="x" b="z" !a`},
		{"stringData replaces data", secret1("data: {a: YQ==, b: Yg==}\nstringData: {a: x}\n"), `a="x" b="b"`},
		{"data that is no base64 stays invalid below stringData", secret1("data: {a: '!'}\nstringData: {a: x}\n"), `a="x" !a`},
		{"a ConfigMap has no stringData, a Secret no binaryData", configMap1("stringData: {a: x}\n") + "---\n", ""},
		{"null is the empty string", secret1("data: {a: null, b: ~, c: }\n"), `a="" b="" c=""`},
		{"numbers and booleans are invalid", configMap1("data: {a: 1, b: yes, c: x, d: 1.5, e: off, f: 0x1}\n"), `c="x" !a !b !d !e !f`},
		{"a mapping and a list are invalid", configMap1("data: {a: {b: c}, b: [x]}\n"), `!a !b`},
		{"a field that is no mapping is invalid as a whole", configMap1("data: x\nbinaryData: {a: AAE=}\n"), `a="\x00\x01" !`},
		{"base64 may be broken into lines", secret1("data:\n  a: |\n    aGVs\r\n    bG8=\n  b: \"aGVs\\r\\nbG8=\"\n"), `a="hello" b="hello"`},
		{"keys that are numbers and booleans are those of Kubernetes", configMap1("data: {0x10: a, yes: b, 1.50: c}\n"), `1.5="c" 16="a" true="b"`},
		{"the last of two counts", configMap1("data:\n  a: x\n  a: z\n"), `a="z"`},
		{"the last of two counts, however it is spelled", configMap1("data:\n  yes: x\n  \"true\": z\n"), `true="z"`},
		{"a number that is written over is not invalid", configMap1("data:\n  a: 1\n  a: z\n"), `a="z"`},
		{"a string that is written over by a number is", configMap1("data:\n  a: z\n  a: 1\n"), `!a`},
		{"data twice: the last counts", configMap1("data: {a: x}\ndata: {b: z}\n"), `b="z"`},
		{"a byte order mark and comments", "\ufeff# c\n" + configMap1("data: # c\n  # d\n  a: x # e\n"), `a="x"`},
		{"text that is no ASCII", configMap1("data: {ä: ö, \"\\u00fc\": x}\n"), "ä=\"ö\" ü=\"x\""},
		{"keys are in the order of their bytes", configMap1("data: {b: '', B: '', a.b: '', a-b: '', a_b: '', ä: ''}\n"), `B="" a-b="" a.b="" a_b="" b="" ä=""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(contentOf(t, c.text)); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWhatIsInvalidIsNamedWithoutItsValue(t *testing.T) {
	t.Parallel()
	const hidden = "hunter"
	text := secret1("data:\n  a: " + hidden + "!\n  b: 77777\n  c: {" + hidden + ": " + hidden + "}\nstringData:\n  d: [" + hidden + "]\n")
	c := contentOf(t, text)
	if len(c.Invalid) != 4 {
		t.Fatalf("%d invalid keys", len(c.Invalid))
	}
	for _, v := range c.Invalid {
		if strings.Contains(v.Problem, hidden) || strings.Contains(v.Problem, "7777") {
			t.Errorf("the value shows in %q", v.Problem)
		}
		if !strings.Contains(v.Problem, fmt.Sprintf("key %q", v.Key)) {
			t.Errorf("%q does not name the key %s", v.Problem, v.Key)
		}
		if line := strings.Split(text, "\n")[strings.Count(text[:v.Offset], "\n")]; !strings.HasPrefix(line, "  "+v.Key+":") {
			t.Errorf("key %s is said to be on the line %q", v.Key, line)
		}
	}
}

func TestCiphertextsAndPlaceholdersStandForTheirValues(t *testing.T) {
	t.Parallel()
	const vault = "apiVersion: v1\nkind: Secret\nmetadata: {name: x, annotations: {avp.kubernetes.io/path: secret/data/x}}\n"
	for _, c := range []struct{ name, text, want string }{
		{"SOPS", secret1("data: {a: 'ENC[AES256_GCM,data:x,type:str]', b: aGk=}\nsops: {mac: x}\n"), `a~cipher b="hi"`},
		{"SOPS in a ConfigMap", configMap1("data: {a: 'ENC[AES256_GCM,data:x]', b: x}\nsops:\n  mac: x\n"), `a~cipher b="x"`},
		{"what the API server would refuse beside it", secret1("data: {a: 'no base64', b: 1, c: {d: e}}\nsops: {mac: x}\n"), `a~spec b~spec c~spec`},
		{"a key that is called sops is none", configMap1("data: {sops: x}\n"), `sops="x"`},
		{"a null sops is none", configMap1("data: {a: 'ENC[x]'}\nsops: null\n"), `a="ENC[x]"`},
		{"a path of a vault", secret1("data: {a: '<path:secret/data/x#y>', b: aGk=}\n"), `a~spec b="hi"`},
		{"a path in stringData", secret1("stringData: {a: 'user:<path:secret/data/x#y>'}\n"), "a~spec"},
		{"a path in a ConfigMap", configMap1("data:\n  a: |\n    x: <path:secret/data/x#y>\n"), "a~spec"},
		{"a secret by name", configMap1("data: {a: '<secret:x>'}\n"), "a~spec"},
		{"as Go writes JSON", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"a":"\u003cpath:secret/data/x#y\u003e"}}`, "a~spec"},
		{"in base64", secret1("data: {a: PHBhdGg6c2VjcmV0L3g+}\n"), "a~spec"},
		{"in base64, behind one byte", secret1("data: {a: eDxwYXRoOnNlY3JldC94Pg==}\n"), "a~spec"},
		{"in base64, behind two bytes", secret1("data: {a: eHg8cGF0aDpzZWNyZXQveD4=}\n"), "a~spec"},
		{"in base64 in a ConfigMap it is text", configMap1("data: {a: PHBhdGg6c2VjcmV0L3g+}\n"), `a="PHBhdGg6c2VjcmV0L3g+"`},
		{"not closed it is text", configMap1("data: {a: '<path:secret/x'}\n"), `a="<path:secret/x"`},
		{"an empty one does not hide the next", configMap1("data: {a: '<path:> <path:x>'}\n"), "a~spec"},
		{"empty it is text", configMap1("data: {a: '<path:>'}\n"), `a="<path:>"`},
		{"a word in brackets where the object names its vault", vault + "stringData: {a: <password>, b: x}\n", `a~spec b="x"`},
		{"a word with a modifier", vault + "data: {a: <password | base64encode>}\n", "a~spec"},
		{"a word in brackets elsewhere is text", secret1("stringData: {a: <password>}\n"), `a="<password>"`},
		{"one bracket is text", vault + "stringData: {a: '1 < 2'}\n", `a="1 < 2"`},
		{"a null annotation names no vault", "apiVersion: v1\nkind: Secret\nmetadata: {name: x, annotations: {avp.kubernetes.io/path: null}}\nstringData: {a: <x>}\n", `a="<x>"`},
		{"where placeholders are to be left alone", strings.Replace(vault, "annotations: {", "annotations: {avp.kubernetes.io/ignore: 'true', ", 1) + "stringData: {a: <x>}\n", `a="<x>"`},
		{"nothing beside a placeholder is invalid", secret1("data: {a: '<path:x>', b: 1, c: '!'}\n"), "a~spec b~spec c~spec"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(contentOf(t, c.text)); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLongTextsInBracketsAreReadInOnePass(t *testing.T) {
	t.Parallel()
	const vault = "apiVersion: v1\nkind: Secret\nmetadata: {name: x, annotations: {avp.kubernetes.io/path: p}}\nstringData:\n  a: '"
	for text, stands := range map[string]bool{
		vault + strings.Repeat("<", 2<<20) + " ''\n": false, vault + strings.Repeat("<>", 1<<20) + "'\n": false, vault + strings.Repeat("< ", 1<<20) + ">'\n": true,
	} {
		text = strings.Replace(text, " ''\n", "'\n", 1)
		if got := contentOf(t, text).Pairs[0].StandIn; got != stands {
			t.Errorf("%.90s...: got %t", text, got)
		}
	}
}

func TestContentsOfTwoObjectsDoNotShareMemory(t *testing.T) {
	t.Parallel()
	x := indexed(t, "", configMap1("data:\n  a: |\n    one\n")+"---\n"+strings.Replace(secret1("data: {a: dHdv}\n"), "name: x", "name: y", 1))
	first, second := x.Objects()[0], x.Objects()[1]
	resolution := Resolve(x)
	var one, two Content
	for range 2 {
		resolution.Read(first, &one)
		resolution.Read(second, &two)
		if got := show(&one); got != `a="one\n"` {
			t.Errorf("got %s", got)
		}
		if got := show(&two); got != `a="two"` {
			t.Errorf("got %s", got)
		}
	}
}

func TestImmutableIsABoolean(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"true": true, "yes": true, "on": true, "false": false, "'true'": false, "null": false, "1": false, "{}": false} {
		if got := indexed(t, "", configMap1("immutable: "+word+"\n")).Objects()[0].Immutable(); got != want {
			t.Errorf("%s: got %t", word, got)
		}
	}
}

func TestKeysThatDifferFromOneRenderToTheNextAreUnstable(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: a}\ndata: {same: YQ==, spelled: YQ==, random: YWE=, gone: ''}\n"
	const two = "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: a}\nstringData: {spelled: a}\ndata: {same: YQ==, random: YWI=, new: YQ==}\n"
	for _, c := range []struct {
		name, a, b string
		want       []string
	}{
		{"one render", one, one, nil},
		{"two renders", one, two, []string{"gone", "random"}},
		{"the other way round", two, one, []string{"new", "random"}},
		{"an object that the other render lacks", one, strings.Replace(one, "name: x", "name: y", 1), []string{"gone", "random", "same", "spelled"}},
		{"an object of another namespace is another object", one, strings.Replace(one, "namespace: a", "namespace: b", 1), []string{"gone", "random", "same", "spelled"}},
		{"no content at all", strings.Split(one, "\ndata:")[0] + "\n", one, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := indexed(t, "", c.a), indexed(t, "", c.b)
			o := a.Objects()[0]
			got := Resolve(a).Differing(o, Resolve(b), b.Exact(o.Kind, o.Namespace, o.Name), new([2]Content))
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
