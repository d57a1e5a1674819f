package diff_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/report"
)

func TestAFailureOfBothSidesIsOneWhereverItsObjectStands(t *testing.T) {
	t.Parallel()
	side := func(line int, cause string) diff.Side {
		err := &diag.Error{Object: "HelmRelease shop/web", Pos: diag.Position{File: "a.yaml", Line: line}, Err: errors.New(cause)}
		return diff.Side{Apps: []*diff.App{{Name: "shop/web", Err: err}}}
	}
	for _, row := range []struct {
		from, to diff.Side
		one      bool
	}{
		{side(1, "no chart"), side(1, "no chart"), true},
		{side(1, "no chart"), side(9, "no chart"), true},
		{side(1, "no chart"), side(1, "no values"), false},
	} {
		c, err := diff.Compare(row.from, row.to)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.WriteDiff(&out, "text", c, report.Style{}); err != nil {
			t.Fatal(err)
		}
		if c.Apps[0].OneFailure != row.one || strings.Count(out.String(), "a.yaml:") != map[bool]int{true: 1, false: 2}[row.one] {
			t.Errorf("one failure: %v, want %v\n%s", c.Apps[0].OneFailure, row.one, &out)
		}
	}
}
