package report

import (
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// protectedSection lists protected objects that change without an approval.
func protectedSection(c *diff.Comparison) section {
	all := c.Unapproved()
	out := section{Part: guarded, Title: protectedTitle(len(all))}
	for _, f := range all {
		out.Items = append(out.Items, item{Head: f.Object, Lines: []line{{Text: f.Message, At: f.Position().String()}}})
	}
	if len(all) > 0 {
		out.Note = diag.RowOf(diag.ProtectedObject).Hint
	}
	return out
}

// protectedTitle returns in words how many of them there are.
func protectedTitle(n int) string {
	if n == 1 {
		return "1 protected object changes without approval"
	}
	return strings.Replace(diag.Count(n, "protected object"), "objects", "objects change without approval", 1)
}
