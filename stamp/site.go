package stamp

import (
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/splice"
)

// strategy is one way in which what is wanted gets into the text at a place. A row of templateStrategies decides
// which one a pod template has, a row of refreshers what is written into a producer of consumed objects.
type strategy interface {
	// edits returns what makes the text at the place what is wanted there, which is sorted by key.
	edits(wanted []plan.Wanted) []splice.Edit
	// foreign returns the keys of other tools that are there, and that it removes where they are not wanted.
	foreign() []string
	// earlier returns the stamps that are there, by the keys of annotations and the names of variables.
	earlier() map[string]string
}

// inserting is a part of a strategy that removes nothing of other tools.
type inserting struct{}

func (inserting) foreign() []string { return nil }

func (inserting) earlier() map[string]string { return nil }

// site is how stamps are written at a place.
type site struct {
	strategy strategy // nil where nothing is written
	document int32    // index of the document that is encoded again, or inPlace
}
