package refs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// object reads text that holds one object.
func object(t testing.TB, text string) manifest.Object {
	t.Helper()
	d, err := manifest.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for o := range d.Objects() {
		return o
	}
	t.Fatalf("no object in\n%s", text)
	return manifest.Object{}
}

// templates finds all templates of the object in a text, with the rows of its kind in their order.
func templates(t testing.TB, table *Table, text string) []Template {
	t.Helper()
	o := object(t, text)
	var out []Template
	for _, row := range table.Rows(o) {
		out = append(out, table.Find(o, row)...)
	}
	return out
}

// ofPodSpec finds what a pod spec in JSON refers to.
func ofPodSpec(t testing.TB, spec []byte) []Reference {
	t.Helper()
	found := templates(t, NewTable(config.MaxLevel, nil), `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":`+string(spec)+`}`)
	if len(found) != 1 {
		t.Fatalf("a Pod has %d templates", len(found))
	}
	return found[0].References
}

// keysOf joins references by object: the keys of each, nil for all. Objects of which no reference is taken have an
// empty list.
func keysOf(rs []Reference, take func(Reference) bool) map[string][]string {
	out := map[string][]string{}
	for _, r := range rs {
		id := r.Kind + " " + r.Name
		keys, seen := out[id]
		if !seen {
			keys = []string{}
		}
		switch {
		case !take(r):
		case r.All:
			keys = nil
		case keys != nil || !seen:
			keys = append(keys, r.Keys...)
			slices.Sort(keys)
			keys = slices.Compact(keys)
		}
		out[id] = keys
	}
	return out
}

func TestScopeVectorsHold(t *testing.T) {
	t.Parallel()
	var vectors []struct {
		Name    string
		PodSpec json.RawMessage
		Want    map[string][]string // object -> keys, null for all
		Live    map[string][]string // the same with live volumes, where that differs
		Trouble map[string]string
	}
	readJSON(t, "testdata/scope.json", &vectors)
	if len(vectors) < 40 {
		t.Fatalf("only %d vectors: the file is not whole", len(vectors))
	}
	words := map[VolumeIssue]string{Unmounted: "unmounted", Misses: "misses"}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			found := ofPodSpec(t, v.PodSpec)
			if got := keysOf(found, func(Reference) bool { return true }); !reflect.DeepEqual(got, v.Want) {
				t.Errorf("got %v, want %v", got, v.Want)
			}
			if v.Live == nil {
				v.Live = v.Want
			}
			if got := keysOf(found, func(r Reference) bool { return !r.Live }); !reflect.DeepEqual(got, v.Live) {
				t.Errorf("with live volumes: got %v, want %v", got, v.Live)
			}
			trouble := map[string]string{}
			for _, r := range found {
				if r.VolumeIssue != NoIssue {
					trouble[r.Kind+" "+r.Name] = words[r.VolumeIssue]
				}
			}
			if fmt.Sprint(trouble) != fmt.Sprint(v.Trouble) {
				t.Errorf("trouble: got %v, want %v", trouble, v.Trouble)
			}
		})
	}
}

func TestTheContractsOwnScopeVectorsHold(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "shared", "spec", "scope-v1.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the contract's own scope vectors are not beside this checkout; testdata/scope.json covers the same rules")
	}
	var vectors []struct {
		Name, Kind, Object string
		PodSpec            json.RawMessage
		Keys               []string
	}
	readJSON(t, path, &vectors)
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			got, found := keysOf(ofPodSpec(t, v.PodSpec), func(Reference) bool { return true })[v.Kind+" "+v.Object]
			if !found || !reflect.DeepEqual(got, v.Keys) {
				t.Errorf("found %t: got %q, want %q", found, got, v.Keys)
			}
		})
	}
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
