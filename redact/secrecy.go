package redact

import "slices"

// Secrecy reports whether a value that is no Secret's own has one of a Secret in it.
type Secrecy uint8

// The degrees, each with more to hide than the one before.
const (
	Public         Secrecy = iota
	MayHoldSecret          // one may be in it, in a form that is not recognized
	HoldsSecret            // one is in it
	HoldsDecrypted         // the same, and the input has it nowhere in clear text: it was decrypted, or a user has it
)

// Embedded are the values of Secrets that something put into the objects of a document: variables of Flux, or values
// of a chart.
type Embedded struct {
	Paths     [][]any // where they stand: keys and indexes from the root of a document
	Anywhere  bool    // others may be anywhere in the document, in a form that is not recognized
	Decrypted bool    // one of those that stand there was decrypted
}

// Whole returns the secrecy of something that all of the document shapes.
func (e *Embedded) Whole() Secrecy {
	switch {
	case e == nil:
		return Public
	case len(e.Paths) > 0 && e.Decrypted:
		return HoldsDecrypted
	case len(e.Paths) > 0:
		return HoldsSecret
	case e.Anywhere:
		return MayHoldSecret
	}
	return Public
}

// Of returns the secrecy of what lies under a key in one of some fields of an object of the document.
func (e *Embedded) Of(fields []string, key string) Secrecy {
	if e == nil {
		return Public
	}
	for _, path := range e.Paths {
		if n := len(path); n >= 2 && path[n-1] == key {
			if field, ok := path[n-2].(string); ok && slices.Contains(fields, field) {
				return e.Whole()
			}
		}
	}
	if e.Anywhere {
		return MayHoldSecret
	}
	return Public
}
