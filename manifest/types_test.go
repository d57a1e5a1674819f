package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// words are plain scalars; each is tried as a value, and as a key.
var words = strings.Fields(`a abc x-1 ~ null Null NULL nUll y Y yes Yes YES yEs on On ON off Off OFF n N no No NO nO true True TRUE tRue false False FALSE
	0 1 -1 +1 00 01 010 08 0x1f 0X1F 0xg 0x -0x1 0b11 0B11 0b2 0o17 0O17 0o8 1_000 1__0 _1 1_ 0x_1 .5 5. -.5 +.5 1.5
	1.5e3 1e3 1E3 1e+3 1e-3 1e 1e+ e3 1.e3 .e3
	.inf .Inf .INF .iNf +.inf -.inf -.Inf .nan .NaN .NAN .Nan -.nan inf nan 1.2.3 1-2 --1 ++1 +- 0.0.0.0 127.0.0.1/8
	12:30 12:30:45 1:2 2001-01-01 2001-01-01T00:00:00Z
	1,000 1k 1Ki 100m 0x1p4 123abc deadbeef 0xdeadbeef 9223372036854775807 9223372036854775808 18446744073709551615
	18446744073709551616 -9223372036854775809
	1e308 1e309 4.9e-324 ... .... --- ---- . .. -- -a ..a = << <<< 1a 0a a1 ff +a -.5.5 v1-1234567890123456 1234567890123456 12345678901234e6 1234567890123e456`)

// kubernetes returns the type of {"k": word} in JSON as Kubernetes makes it of YAML, "refused" where it makes none.
func kubernetes(t *testing.T, text string) Type {
	t.Helper()
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return Number // .inf and .nan are, and JSON has no such number
	}
	var v map[string]any
	if err := json.Unmarshal(j, &v); err != nil {
		t.Fatal(err)
	}
	switch v["k"].(type) {
	case nil:
		return Null
	case bool:
		return Bool
	case float64:
		return Number
	case string:
		return String
	}
	return Other
}

func TestPlainScalarsHaveTheTypesOfKubernetes(t *testing.T) {
	t.Parallel()
	long := []string{strings.Repeat("1", 300), strings.Repeat("1", 400), strings.Repeat("1", 5000), "0." +
		strings.Repeat("0", 600) + "1", "1" + strings.Repeat("a", 600)}
	seen := map[Type]int{}
	for _, w := range append(words, long...) {
		text := "k: " + w + "\n"
		d, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%.60q: %v", text, err)
			continue
		}
		got, want := d.Root().Get("k").Type(), kubernetes(t, text)
		if got != want {
			t.Errorf("%.60q: type %d, Kubernetes says %d", w, got, want)
		}
		seen[got]++
	}
	for _, typ := range []Type{String, Null, Bool, Number} {
		if seen[typ] < 4 {
			t.Errorf("only %d words of type %d", seen[typ], typ)
		}
	}
	for _, text := range []string{"k: '1'\n", "k: \"yes\"\n", "k: |\n  1\n", "k: >-\n  1\n", "k: !!str 1\n",
		"k: !!int '1'\n", "k: !!bool 'yes'\n", "k: !!null ''\n", "k: !!float 1\n", "k: &a 1\n", "k: &a yes\n",
		"k:\n", "k: # c\n", "k: {}\n", "k: []\n", "k:\n- a\n", "{k: 1}\n", "{k: -}\n", "{\"k\": true}\n", "{\"k\":null}\n",
		"{k: }\n", "{k}\n", "k: 1\n  2\n", "k: 1 # c\n"} {
		d, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, want := d.Root().Get("k").Type(), kubernetes(t, text); got != want {
			t.Errorf("%q: type %d, Kubernetes says %d", text, got, want)
		}
	}
}

func TestKeysAreThoseOfKubernetes(t *testing.T) {
	t.Parallel()
	for _, w := range append(words, `"1"`, `'yes'`, `"null"`, `"a b"`, "? a") {
		text := w + ": x\n"
		if strings.HasPrefix(w, "? ") {
			text = w + "\n: x\n"
		}
		j, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			continue // null and <<
		}
		var want map[string]string
		if err := json.Unmarshal(j, &want); err != nil {
			t.Fatal(err)
		}
		d, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := map[string]string{}
		for k, v := range d.Root().Entries() {
			got[k.Field()] = v.Text()
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: got %v, Kubernetes says %v", text, got, want)
		}
	}
}

func TestNothingIsGivenWhereAValueIsNull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"k: null\n": "", "k: ~\n": "", "k:\n": "", "k: ''\n": "", "k: 'null'\n": "null", "k: x\n": "x", "k: 1\n": "1",
		"k: {}\n": "", "j: x\n": "", "k: &a ~\n": "",
	} {
		d, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Root().Get("k").StringValue(); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestBooleansAreTrueInAllTheirSpellings(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"true": true, "TRUE": true, "yes": true, "Y": true, "on": true, "On": true,
		"false": false, "no": false, "off": false,
		"'true'": false, "\"yes\"": false, "null": false, "1": false, "tRue": false, "{}": false, "!!bool 'true'": true} {
		d, err := Parse([]byte("k: " + word + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Root().Get("k").IsTrue(); got != want {
			t.Errorf("%s: got %t", word, got)
		}
	}
}

func TestStringsOfJSONAreReadAsKubectlReadsJSON(t *testing.T) {
	t.Parallel()
	for _, j := range []string{`"a/b"`, `"a\/b"`, `"\ud83d\ude00"`, `"\uD83D\uDE00x"`,
		`"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\u0000"`, `"\u2028\u2029\ufeff"`, `"é😀"`, `"\\ud83d"`, `""`} {
		var want string
		if err := json.Unmarshal([]byte(j), &want); err != nil {
			t.Fatal(err)
		}
		d, err := Parse([]byte(`{"k":` + j + "}\n"))
		if err != nil {
			t.Errorf("%s: %v", j, err)
			continue
		}
		if n := d.Root().Get("k"); n.Text() != want || n.Type() != String {
			t.Errorf("%s: got %q, want %q", j, n.Text(), want)
		}
	}
}
