package splice

import (
	"cmp"
	"errors"
	"strings"
)

// ErrNotInPlace is returned where text cannot be changed in place: it is written in an alias, a merge key or a
// complex key, or where lines end irregularly. The document can be encoded again, with Reencode, and be changed
// then.
var ErrNotInPlace = errors.New("the text cannot be changed in place")

// ShapeError is returned where a document holds something else than what a path should lead to.
type ShapeError struct {
	Path []string // to what is something else
	Want string   // "a mapping"
}

// Error implements error.
func (e *ShapeError) Error() string {
	return cmp.Or(strings.Join(e.Path, "."), "the document") + " is not " + e.Want
}
