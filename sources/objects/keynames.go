package objects

import "strings"

// KeyNames are the names of all keys of an object, in one text; "" where they are not all known.
type KeyNames string

// endOfKey is before and after each name: no key has it.
const endOfKey = "\x00"

// KnowsNot reports whether a key is not among names that are known.
func (k KeyNames) KnowsNot(key string) bool {
	return k != "" && !strings.Contains(string(k), endOfKey+key+endOfKey)
}

// keyNames returns the names of an object's keys where the object itself is all that they come from. They lie in the
// memory of all, one object's after another's.
func (o *Object) keyNames(all *strings.Builder) KeyNames {
	if len(o.producers) > 0 || o.isCopy || o.mayBeFilled() {
		return ""
	}
	for _, f := range contentFields[o.Kind] {
		if n := o.node.Get(f.name); n.Valid() && !n.IsMap() {
			return ""
		}
	}
	start := all.Len()
	all.WriteString(endOfKey)
	for _, f := range contentFields[o.Kind] {
		for e := o.node.Get(f.name).Fields(); e.Next(); {
			all.WriteString(e.Key.Field())
			all.WriteString(endOfKey)
		}
	}
	return KeyNames(all.String()[start:])
}
