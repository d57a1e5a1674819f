package redact

import "strings"

// AddedPrefix begins the keys of the annotations that mark what was added to a render.
const AddedPrefix = "added.rollstamp.dev/"

// FieldsMark is the annotation of an object that says which of its fields got values of ConfigMaps and Secrets, as
// words: "+", "~" or "-" for what was there before, the way to the field with a slash before each name, "=", and
// Kind/name/key of the value.
const FieldsMark = AddedPrefix + "fields"

// hideCopied hides the fields that got values of Secrets.
func (h hider) hideCopied(object map[string]any) {
	mark, _ := tableAt(object, "metadata", "annotations")[FieldsMark].(string)
	for word := range strings.FieldsSeq(mark) {
		before, of, _ := strings.Cut(word, "=")
		_, path, isPath := strings.Cut(before, "/")
		if names := strings.Split(path, "/"); isPath && strings.HasPrefix(of, "Secret/") {
			last := len(names) - 1
			h.fields(tableAt(object, names[:last]...), names[last])
		}
	}
}
