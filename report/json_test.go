package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

func TestAComparisonIsEncodedByItemAsItIsAsAWhole(t *testing.T) {
	large := &diff.Comparison{Schema: diff.Schema, From: "a & b", To: "<c>", Apps: []diff.AppChange{}, Quiet: []diff.Quiet{},
		Findings: []diag.Finding{gone, loose}, Commits: &diff.Commits{From: "1"}}
	for i := range 200 {
		large.Objects = append(large.Objects, diff.ObjectChange{Name: diff.Name{Kind: "ConfigMap", Name: fmt.Sprint("c", i)},
			Change: diff.Modification, Fields: []diff.FieldChange{{Path: "data.A", From: "1\n\xff", To: `"2"`}}})
	}
	for name, c := range map[string]*diff.Comparison{
		"nothing": {}, "empty lists": {Restarts: []diff.Restart{}, Blocked: []diff.Blocked{}, Shard: &diff.Shard{}}, "much": large,
		"every field": every[diff.Comparison](),
	} {
		t.Run(name, func(t *testing.T) {
			var whole, got bytes.Buffer
			enc := json.NewEncoder(&whole)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(c); err != nil {
				t.Fatal(err)
			}
			if err := report.WriteDiff(&got, "json", c, report.Style{}); err != nil {
				t.Fatal(err)
			}
			if got.String() != whole.String() {
				t.Errorf("got\n%.2000s\nwant\n%.2000s", got.String(), whole.String())
			}
		})
	}
}

// every returns a struct of which each field holds something; a list, one zero item.
func every[T any]() *T {
	out := new(T)
	for _, field := range reflect.ValueOf(out).Elem().Fields() {
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.String:
			field.SetString("text")
		}
	}
	return out
}
