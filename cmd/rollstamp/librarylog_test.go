package main

import (
	"bytes"
	"testing"
)

func TestOfWhatLibrariesLogOnlyKnownTextsArePrintedWithoutValues(t *testing.T) {
	const value = "CANARY-hunter2"
	for _, row := range []struct{ message, want string }{
		{"warning: cannot overwrite table with non table for c.a (map[b:" + value + "])",
			"cannot overwrite table with non table for c.a"},
		{"warning: cannot overwrite table with non table for c.a (x\n" + value + ")\n",
			"cannot overwrite table with non table for c.a"},
		{"warning: destination for c.a is a table. Ignoring non-table value (" + value + ")",
			"destination for c.a is a table. Ignoring non-table value"},
		{"warning: skipped value for c.a: Not a table.", "skipped value for c.a: Not a table."},
		{"warning: unable to copy values, err: " + value, "unable to copy values"},
		{"Warning: Condition path 'a.b' for chart c returned non-bool value",
			"Condition path 'a.b' for chart c returned non-bool value"},
		{"Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). " +
			"Using the kustomization file over the CLI flag.",
			"Sorting order is set both in 'kustomization.yaml'. Using the kustomization file over the CLI flag."},
		{"MakePrimitiveReplacer: bad replacement type=map[string]interface {} val=map[password:" + value + "]",
			unknownMessage},
		{"ParseInt failed for value " + value + " in label a", unknownMessage},
		{"key a is table. Skipping (" + value + ")", unknownMessage},
		{"[INFO] Fail: " + value, unknownMessage},
	} {
		var out bytes.Buffer
		if _, err := (libraryLog{&out}).Write([]byte(row.message)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != "warning: "+row.want+"\n" {
			t.Errorf("%q is printed as %q, want %q", row.message, got, row.want)
		}
	}
}
