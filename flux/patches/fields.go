package patches

import (
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
)

// Field is a field that stamping adds to an object and that is no stamp, such as the version of what an operator
// fetches. No patch of ours has it: it may lie in a list, whose items a patch cannot tell apart.
type Field struct {
	Object      string // as errors name it
	Path, Value string
	Line        int // of the object in its render
}

// Fields returns the fields that the objects of a render get besides stamps, whose keys have the prefix: stamped is
// its text with them.
func Fields(bare, stamped []byte, prefix hashing.Prefix) (out []Field, err error) {
	before, after, lines, err := objectsOfBoth(bare, stamped)
	if err != nil {
		return nil, err
	}
	for i, o := range after {
		if i >= len(before) || before[i].Kind != o.Kind {
			continue
		}
		for _, f := range addedFields(before[i].Node, o.Node, "", prefix) {
			f.Object, f.Line = o.String(), lines[i]
			out = append(out, f)
		}
	}
	return out, nil
}

// addedFields returns the scalar fields below a node that were not there before, stamps left out.
func addedFields(before, after manifest.Node, path string, prefix hashing.Prefix) (out []Field) {
	for k, v := range after.Entries() {
		key := k.Text()
		if prefix.Has(key) {
			continue
		}
		at := strings.TrimPrefix(path+"."+key, ".")
		was := before.Get(key)
		if v.IsScalar() && !was.Valid() {
			out = append(out, Field{Path: at, Value: strings.Clone(v.StringValue())})
		}
		out = append(out, addedFields(was, v, at, prefix)...)
	}
	var items []manifest.Node
	for item := range before.Items() {
		items = append(items, item)
	}
	i := 0
	for item := range after.Items() {
		if i < len(items) {
			out = append(out, addedFields(items[i], item, fmt.Sprintf("%s[%d]", path, i), prefix)...)
		}
		i++
	}
	return out
}
