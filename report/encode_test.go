package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/diff"
)

// Both layouts are what encoding/json writes of the whole value, byte for byte, also of lists that are long, empty or
// absent, and of the fields of an embedded struct.
func TestLargeValuesAreEncodedAsByThePackage(t *testing.T) {
	long := diff.Comparison{From: "<a>", To: "b&c", Apps: []diff.AppChange{}, Commits: &diff.Commits{From: "1"}}
	for i := range 200 {
		change := diff.ObjectChange{Name: diff.Name{Kind: "ConfigMap", Name: fmt.Sprintf("<%d>", i)}}
		if i%2 == 0 {
			change.Fields = []diff.FieldChange{{Path: "data.k", From: "\"1\"\n", To: "\xff</script>"}}
		}
		long.Objects = append(long.Objects, change)
	}
	for _, c := range []diff.Comparison{{}, long} {
		for _, v := range []any{&c, &view{answerOf(&c, Style{}), "none", list(c.Apps), list(c.Objects), nil, nil}} {
			for _, l := range []layout{indented, inPage} {
				var want, have bytes.Buffer
				enc := json.NewEncoder(&want)
				enc.SetEscapeHTML(l.escaped)
				enc.SetIndent("", l.indent)
				if err := enc.Encode(v); err != nil {
					t.Fatal(err)
				}
				if err := newEncoder(&have, l).fields(v); err != nil {
					t.Fatal(err)
				}
				if have.String() != want.String() {
					t.Errorf("%T with indent %q:\n%s\nwant:\n%s", v, l.indent, &have, &want)
				}
			}
		}
	}
}
