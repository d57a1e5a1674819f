package diff

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/splice"
)

func TestAnEditedDocumentIsNotHeldTwice(t *testing.T) {
	const text = "---\nkind: A\napiVersion: v1\nmetadata: {name: one}\n---\nkind: B\napiVersion: v1\nmetadata: {name: two}\n"
	insert := func(before, what string) splice.Edit {
		at := strings.Index(text, before)
		return splice.Edit{Start: at, End: at, Text: what}
	}
	for name, c := range map[string]struct {
		edits  []splice.Edit
		copied bool
	}{
		"what it is called stays":   {[]splice.Edit{insert("kind: B", "spec: {}\n")}, false},
		"what it is called changes": {[]splice.Edit{insert("two}", "not-")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := read("app", splice.Edited{Text: []byte(text), Edits: c.edits}, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if copied := len(all[1].edits) == 0; copied != c.copied {
				t.Errorf("copied: %t", copied)
			}
			_, want, _ := strings.Cut(string(splice.Bytes([]byte(text), c.edits))[1:], "---\n")
			if got := string(all[1].text()); strings.TrimPrefix(got, "---\n") != want {
				t.Errorf("it reads\n%s\nwant\n%s", got, want)
			}
			table, err := all[1].table()
			if err != nil || at(table, "metadata")["name"] != all[1].Name.Name {
				t.Errorf("it is called %s, and holds %v: %v", all[1].Name.Name, table, err)
			}
			if got := string(all[0].text()); strings.Contains(got, "B") || len(all[0].edits) > 0 {
				t.Errorf("the other one reads\n%s", got)
			}
		})
	}
}
