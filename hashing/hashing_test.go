package hashing

import (
	"bytes"
	"fmt"
	"hash"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

func pairs(keysAndValues ...string) []Pair {
	var out []Pair
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, Pair{keysAndValues[i], redact.New([]byte(keysAndValues[i+1]))})
	}
	return out
}

func givenKey(t testing.TB, s string) *Key {
	t.Helper()
	key, err := KeyFromBytes(redact.New([]byte(s)), "test")
	if err != nil {
		t.Fatal(err)
	}
	return &key
}

func ExampleValue() {
	content := []Pair{
		{Key: "LOG_LEVEL", Value: redact.New([]byte("info"))},
		{Key: "PORT", Value: redact.New([]byte("8080"))},
	}
	fmt.Println(Prefix{}.Annotation("", "ConfigMap", "shop")+":", Value("ConfigMap", "shop", content, nil))

	key, err := KeyFromBytes(redact.New([]byte("sixteen bytes or more\n")), "example")
	if err != nil {
		panic(err)
	}
	fmt.Println(Prefix{}.Annotation("", "Secret", "shop")+":", Value("Secret", "shop", content, &key))
	// Output:
	// checksum.rollstamp.dev/configmap.shop: v1-a1bfbeceb1336323
	// checksum.rollstamp.dev/secret.shop: v1k-c047c25ad7e863cc
}

func TestOrderOfContentDoesNotMatter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	content := pairs("a", "1", "b", "", "B", "3", "ä", "4", "", "5", "a.b", "6", "zz", "7")
	slices.SortFunc(content, byKey)
	for _, key := range []*Key{nil, givenKey(t, "0123456789abcdef")} {
		want := Value("Secret", "x", content, key)
		for range 200 {
			shuffled := slices.Clone(content)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if got := Value("Secret", "x", shuffled, key); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
}

func TestContentIsLeftAsItWas(t *testing.T) {
	t.Parallel()
	content := pairs("b", "2", "a", "1")
	Value("ConfigMap", "x", content, nil)
	if content[0].Key != "b" || content[1].Key != "a" {
		t.Errorf("content was sorted in place: %v", content)
	}
}

func TestKindAndNameMatterOnlyWhenKeyed(t *testing.T) {
	t.Parallel()
	content := pairs("password", "hunter2")
	key := givenKey(t, "0123456789abcdef")
	if a, b := Value("Secret", "a", content, nil), Value("ConfigMap", "b", content, nil); a != b {
		t.Errorf("plain: %s and %s differ", a, b)
	}
	seen := map[string]string{}
	for _, o := range [][2]string{{"Secret", "a"}, {"Secret", "b"}, {"ConfigMap", "a"}, {"Secreta", ""}, {"Secret", "a8:password"}} {
		v := Value(o[0], o[1], content, key)
		if other, has := seen[v]; has {
			t.Errorf("keyed: %v has the digest of %s", o, other)
		}
		seen[v] = o[0] + " " + o[1]
	}
	if Value("Secret", "a", content, key) != Value("SECRET", "a", content, key) {
		t.Error("the case of the kind matters")
	}
}

// recorder is a hash that keeps what it is given.
type recorder struct{ bytes.Buffer }

func (r *recorder) Sum([]byte) []byte { return make([]byte, 32) }
func (r *recorder) Size() int         { return 32 }
func (r *recorder) BlockSize() int    { return 64 }

var _ hash.Hash = (*recorder)(nil)

// takeItem reads one item of the encoding.
func takeItem(t *testing.T, message string) (item, rest string) {
	t.Helper()
	digits, rest, ok := strings.Cut(message, ":")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n > len(rest) {
		t.Fatalf("no item at %q", message)
	}
	return rest[:n], rest[n:]
}

// FuzzEncodingCanBeReadBack shows that no two contents have the same encoding: each can be read back from it.
func FuzzEncodingCanBeReadBack(f *testing.F) {
	f.Add("a=1\nb=2")
	f.Add("a=1:b1:c")
	f.Add("1=2:31:4\n12=:3\n=\n")
	f.Add("big=" + strings.Repeat("x", 5000) + "\nsmall=1\nmore=" + strings.Repeat("y", 1020))
	f.Fuzz(func(t *testing.T, lines string) {
		want := map[string]string{}
		for line := range strings.SplitSeq(lines, "\n") {
			k, v, _ := strings.Cut(line, "=")
			want[k] = v
		}
		var content []Pair
		for _, k := range slices.Sorted(maps.Keys(want)) {
			content = append(content, Pair{k, redact.New([]byte(want[k]))})
		}
		var r recorder
		h := Hasher{buf: []byte(plainHeader)}
		h.digest("", &r, content)
		message, ok := strings.CutPrefix(r.String(), plainHeader)
		if !ok {
			t.Fatalf("no header in %q", r.String())
		}
		got := map[string]string{}
		for message != "" {
			var k, v string
			k, message = takeItem(t, message)
			v, message = takeItem(t, message)
			got[k] = v
		}
		if !maps.Equal(got, want) {
			t.Errorf("read back %q, want %q", got, want)
		}
	})
}

func TestSortedContentIsDigestedWithFewAllocations(t *testing.T) {
	content := pairs("a", strings.Repeat("x", 500), "b", strings.Repeat("y", 500))
	key := givenKey(t, "0123456789abcdef")
	var h Hasher
	// Plain: the answer. Keyed: the states and the pads too.
	if n := testing.AllocsPerRun(100, func() { h.Value("ConfigMap", "x", content, nil) }); n > 1 {
		t.Errorf("plain: %.0f allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { h.Value("Secret", "x", content, key) }); n > 13 {
		t.Errorf("keyed: %.0f allocations", n)
	}
}

func BenchmarkValue(b *testing.B) {
	content := pairs("a", strings.Repeat("x", 500), "b", strings.Repeat("y", 500))
	key := givenKey(b, "0123456789abcdef")
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Value("ConfigMap", "x", content, nil)
		}
	})
	b.Run("keyed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Value("Secret", "x", content, key)
		}
	})
}

func TestADigestIsKnownByItsFormAlone(t *testing.T) {
	t.Parallel()
	content := pairs("a", "b")
	key := givenKey(t, "0123456789abcdef")
	for text, want := range map[string]bool{
		Value("Secret", "s", content, nil): true,
		Value("Secret", "s", content, key): true,
		"v1-":                              false,
		"v1-beta":                          false,
		"v1-a1a8d7883f9741f":               false,
		"v1-a1a8d7883f9741f00":             false,
		"v1-A1A8D7883F9741F0":              false,
		"v2-a1a8d7883f9741f0":              false,
		"a1a8d7883f9741f0":                 false,
	} {
		if got := IsDigest(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
