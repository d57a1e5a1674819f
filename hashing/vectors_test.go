package hashing

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

// vectorValue is a string for its UTF-8 bytes, or {"base64": ...}.
type vectorValue []byte

func (v *vectorValue) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*v = []byte(text)
		return nil
	}
	var binary struct{ Base64 []byte }
	err := json.Unmarshal(raw, &binary)
	*v = binary.Base64
	return err
}

type vector struct {
	Name, Kind, Object  string
	Content             map[string]vectorValue
	HashKey, HashDomain string
	Value               string
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func testKey(t *testing.T, raw []byte, domain string) *Key {
	t.Helper()
	key, err := KeyFromBytes(redact.New(raw), "vector")
	if err != nil {
		t.Fatal(err)
	}
	key = key.InDomain(domain)
	return &key
}

func TestVectorsHold(t *testing.T) {
	t.Parallel()
	var vectors struct {
		Digests     []vector
		Annotations []struct{ Group, Kind, Name, Annotation string }
	}
	readJSON(t, "testdata/vectors.json", &vectors)
	if len(vectors.Digests) < 30 || len(vectors.Annotations) < 10 {
		t.Fatalf("only %d digests and %d annotations: the file is not whole", len(vectors.Digests), len(vectors.Annotations))
	}
	for _, v := range vectors.Digests {
		t.Run(v.Name, func(t *testing.T) {
			var key *Key
			if v.HashKey != "" {
				key = testKey(t, []byte(v.HashKey), v.HashDomain)
			}
			var content []Pair
			for k, value := range v.Content {
				content = append(content, Pair{k, redact.New(value)})
			}
			if got := Value(v.Kind, v.Object, content, key); got != v.Value {
				t.Errorf("got %s, want %s", got, v.Value)
			}
		})
	}
	for _, v := range vectors.Annotations {
		if got := (Prefix{}).Annotation(v.Group, v.Kind, v.Name); got != v.Annotation {
			t.Errorf("%s/%s %s: got %s, want %s", v.Group, v.Kind, v.Name, got, v.Annotation)
		}
	}
}

type foreignVector struct {
	Name   string
	Object struct {
		Kind     string
		Metadata struct{ Name string }
		Data     map[string]*string
		// BinaryData and StringData are decoded as the contract says.
		BinaryData, StringData map[string]*string
	}
	Keys              []string
	HashKeyHex        string
	HashDomain        string
	Value, Annotation string
}

// content decodes an object the way the contract's first part says.
func (v *foreignVector) content(t *testing.T) []Pair {
	all := map[string][]byte{}
	add := func(from map[string]*string, decode func(string) ([]byte, error)) {
		for k, s := range from {
			if s == nil {
				s = new(string)
			}
			b, err := decode(*s)
			if err != nil {
				t.Fatal(err)
			}
			all[k] = b
		}
	}
	text := func(s string) ([]byte, error) { return []byte(s), nil }
	if v.Object.Kind == "ConfigMap" {
		add(v.Object.Data, text)
		add(v.Object.BinaryData, base64.StdEncoding.DecodeString)
	} else {
		add(v.Object.Data, base64.StdEncoding.DecodeString)
		add(v.Object.StringData, text)
	}
	var out []Pair
	for k, b := range all {
		if v.Keys == nil || slices.Contains(v.Keys, k) {
			out = append(out, Pair{k, redact.New(b)})
		}
	}
	return out
}

func TestVectorsOfTheIndependentReferenceHoldWhereTheyAreAtHand(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "shared", "spec", "digest-v1.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the vectors of the independent reference are not beside this checkout")
	}
	var vectors []foreignVector
	readJSON(t, path, &vectors)
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			var key *Key
			if v.HashKeyHex != "" {
				raw, err := hex.DecodeString(v.HashKeyHex)
				if err != nil {
					t.Fatal(err)
				}
				key = testKey(t, raw, v.HashDomain)
			}
			kind, name := v.Object.Kind, v.Object.Metadata.Name
			key, err := KeyFor(kind, Written, key)
			if err != nil {
				t.Fatal(err)
			}
			if got := Value(kind, name, v.content(t), key); got != v.Value {
				t.Errorf("value: got %s, want %s", got, v.Value)
			}
			if got := (Prefix{}).Annotation("", kind, name); got != v.Annotation {
				t.Errorf("annotation: got %s, want %s", got, v.Annotation)
			}
		})
	}
}
