package render_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/render"
)

// TestObjectsAreFoundAsOneWhoReadsTheFileForEach holds the index of a file's lines to a search through all of them.
func TestObjectsAreFoundAsOneWhoReadsTheFileForEach(t *testing.T) {
	pieces := []string{
		"kind: Secret\n", "  kind: Secret\n", "kind: ConfigMap\r\n", "- {kind: Secret, name: web}\n",
		"{name: db, kind: Secret, a: 1}\n",
		"metadata:\n", "  name: web\n", "  name: db\n", "name: web-db\n", "  name: \"web\"\n", "- name: x\n", "\n", "---\n",
		"# kind: Secret\n",
		"  name: {{ .Release.Name }}-web\n", "configMapGenerator:\n", "a: {kind: ConfigMap, kind: Secret, name: y}\n",
		"name: \n", "kind: Pod", "  kind: \"Secret\",\n", "    name: \"db\",\n",
	}
	dir, found := t.TempDir(), 0
	for seed := range 3000 {
		r, text := rand.New(rand.NewPCG(uint64(seed), 1)), ""
		for range r.IntN(24) {
			text += pieces[r.IntN(len(pieces))]
		}
		file := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := render.NewLines(nil)
		for _, kind := range []string{"Secret", "ConfigMap", "Pod", "Job"} {
			for _, name := range []string{"web", "db", "web-db", "pre-web-db-1", "x", "y", "none"} {
				got, want := lines.Of(file, kind+" ns/"+name), searched([]byte(text), kind, name)
				if got != want {
					t.Fatalf("%s %s is found in line %d, want %d, of\n%s", kind, name, got, want, text)
				}
				if want > 0 {
					found++
				}
			}
		}
	}
	if found < 10000 {
		t.Errorf("%d found: the texts hold too little", found)
	}
}

// searched goes through a file for one object.
func searched(text []byte, kind, name string) int {
	var candidates []int
	all := strings.Split(string(text), "\n")
	for i, line := range all {
		if strings.TrimSpace(line) == "kind: "+kind || strings.Contains(line, "kind: "+kind+",") ||
			strings.Contains(line, "kind: \""+kind+"\",") {
			candidates = append(candidates, i)
		}
	}
	at, most := 0, 0
	take := func(i int, word string) {
		switch {
		case word == "" || !strings.Contains(name, word) || len(word) < most:
		case len(word) == most:
			at = 0
		default:
			at, most = i+1, len(word)
		}
	}
	switch len(candidates) {
	case 0:
		for i, line := range all {
			if value, ok := bytes.CutPrefix([]byte(strings.TrimLeft(line, " -{")), []byte("name: ")); ok {
				take(i, strings.Trim(strings.TrimRight(string(value), ", \r"), "\"' "))
			}
		}
		return at
	case 1:
		return candidates[0] + 1
	}
	for n, i := range candidates {
		end := len(all)
		if n+1 < len(candidates) {
			end = candidates[n+1]
		}
		for _, line := range all[i:end] {
			if _, value, ok := strings.Cut(line, "name: "); ok {
				value, _, _ = strings.Cut(value, ",")
				take(i, strings.Trim(value, "\"'{} \r"))
				break
			}
		}
	}
	return at
}
