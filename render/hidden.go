package render

import (
	"cmp"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/redact"
)

// Hidden are the places in a document that show a value from elsewhere that is secret. They are hidden in whatever is
// shown of the document; the text itself has them.
type Hidden struct {
	Offset int // of the document in the text
	Places []HiddenPlace
	Values *redact.Values
	// Anywhere: the values may be in every document, in forms that are not recognized. Offset is 0 and Places are none.
	Anywhere  bool
	Decrypted bool // one of the values was decrypted
	// InClear: the input has the values in clear text, under names that read like a secret's. They are hidden at these
	// places only, and a digest of what they stand in needs no key.
	InClear bool
}

// HiddenPlace is a scalar, or the key of one, in a document.
type HiddenPlace struct {
	Path  []any // keys and indexes from the root: strings and ints
	Key   bool  // the last key of the path is meant
	Whole bool  // the values do not stand in it as they are, so that nothing of it is shown
}

// WithHidden returns the output with further places that are hidden.
func (o *Output) WithHidden(more []Hidden) *Output {
	if len(more) == 0 {
		return o
	}
	out := *o
	out.Hidden = slices.Concat(o.Hidden, more)
	slices.SortStableFunc(out.Hidden, func(a, b Hidden) int { return cmp.Compare(a.Offset, b.Offset) })
	return &out
}

// WithDerived returns the output with a function that finds what templates make of the values that are hidden, such as
// a digest of one. Finding it takes another render, so it is done once something of the output is to be shown.
func (o *Output) WithDerived(find func() []Hidden) *Output {
	out := *o
	out.derived = sync.OnceValue(find)
	return &out
}

// Derived returns the places that show what templates make of values that are hidden.
func (o *Output) Derived() []Hidden {
	if o.derived == nil {
		return nil
	}
	return o.derived()
}

// AllHidden returns Hidden with what Derived returns, ascending by Offset.
func (o *Output) AllHidden() []Hidden { return o.WithHidden(o.Derived()).Hidden }

// Embedded returns the values of Secrets that are in a document as they are, by where it lies in the text; nil where
// there are none.
func (o *Output) Embedded(start, end int) *redact.Embedded {
	if len(o.Hidden) == 0 {
		return nil
	}
	var in redact.Embedded
	for i := 0; i < len(o.Hidden) && o.Hidden[i].Offset == 0; i++ {
		in.Anywhere = in.Anywhere || o.Hidden[i].Anywhere
	}
	first, _ := slices.BinarySearchFunc(o.Hidden, start, func(h Hidden, at int) int { return cmp.Compare(h.Offset, at) })
	for _, h := range o.Hidden[first:] {
		if h.Offset >= end {
			break
		}
		if h.InClear {
			continue
		}
		for _, p := range h.Places {
			in.Paths = append(in.Paths, p.Path)
		}
		in.Decrypted = in.Decrypted || h.Decrypted && len(h.Places) > 0
	}
	if !in.Anywhere && len(in.Paths) == 0 {
		return nil
	}
	return &in
}

// Secrets returns all values of Secrets that are hidden in the output, in the form in which they stand there.
func (o *Output) Secrets() *redact.Values { return valuesOf(o.Hidden) }

// DecryptedSecrets returns those of Secrets in which one was decrypted.
func (o *Output) DecryptedSecrets() *redact.Values {
	return valuesOf(slices.DeleteFunc(slices.Clone(o.Hidden), func(h Hidden) bool { return !h.Decrypted }))
}

// AllSecrets returns Secrets with what templates make of these.
func (o *Output) AllSecrets() *redact.Values { return o.Secrets().And(valuesOf(o.Derived())) }

func valuesOf(hidden []Hidden) *redact.Values {
	var all *redact.Values
	for i, h := range hidden {
		if !h.InClear && (i == 0 || h.Values != hidden[i-1].Values) {
			all = all.And(h.Values)
		}
	}
	return all
}
