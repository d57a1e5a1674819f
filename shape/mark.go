package shape

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// mark says of one item of a list that a binding added it: container/field=identity, with a + before the field where
// the list is new, too, and a ~ where it was null. For a list of the pod the container is "".
type mark struct {
	container, before, field, identity string
}

// What was there before a list.
const (
	noList   = "+"
	nullList = "~"
)

// String returns the mark as it is written.
func (m mark) String() string {
	return m.container + "/" + m.before + m.field + "=" + m.identity
}

// textOf returns marks as an annotation has them.
func textOf(marks []mark) string {
	var out []string
	for _, m := range marks {
		out = append(out, m.String())
	}
	return strings.Join(out, " ")
}

// parseMarks reads what textOf writes. What is none is left out.
func parseMarks(text string) (out []mark) {
	for word := range strings.FieldsSeq(text) {
		container, rest, isMark := strings.Cut(word, "/")
		field, identity, both := strings.Cut(rest, "=")
		if !isMark || !both {
			continue
		}
		name := strings.TrimLeft(field, noList+nullList)
		out = append(out, mark{container, strings.TrimSuffix(field, name), name, identity})
	}
	return out
}

// setMark returns the edits that write a mark into an object; "" takes it out.
func setMark(object manifest.Node, key, value string) ([]splice.Edit, error) {
	slot, err := splice.Locate(object, []string{"metadata", "annotations"}, claim)
	if err != nil {
		return nil, err
	}
	var wanted []splice.Entry
	if value != "" {
		wanted = append(wanted, splice.Entry{Key: key, Value: value})
	}
	return slot.Edits(wanted, func(other string) bool { return other != key }), nil
}
