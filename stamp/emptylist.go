package stamp

import (
	"bytes"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// A list that is there and empty must not be taken for one that was made for what is inserted, and the other way round.
// Between brackets that were empty there is a blank before the first item, and two where there was a null. Below a key
// without a value items are two columns further in.
const (
	wasEmpty = " "
	wasNull  = "  "
)

// appendItems returns the edits that insert items behind those of the list at path below a mapping.
func appendItems(n manifest.Node, path []string, items []any) ([]splice.Edit, error) {
	list := n.At(path...)
	out, err := splice.EditItems(n, path, splice.ItemChange{At: list.Len(), Insert: items})
	if err != nil || !list.Valid() || list.Len() > 0 {
		return out, err
	}
	for i := range out {
		text := &out[i].Text
		switch {
		case list.IsSeq() && n.IsFlow():
			*text = wasEmpty + *text
		case list.IsSeq() || *text == "": // brackets in a block are never made
		case n.IsFlow():
			*text = strings.Replace(*text, "[", "["+wasNull, 1)
		default:
			*text = twoFurther(*text)
		}
	}
	return out, nil
}

// twoFurther returns lines with two blanks more before each.
func twoFurther(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Trim(line, "\r\n") != "" {
			out.WriteString("  ")
		}
		out.WriteString(line)
	}
	return out.String()
}

// withoutItems returns the edits that remove all items of the list at path below a mapping, which appendItems inserted,
// and the list unless it was there.
func withoutItems(n manifest.Node, path []string) ([]splice.Edit, error) {
	list := n.At(path...)
	text := list.Document().Text()
	switch inside := text[min(list.Offset()+1, len(text)):]; {
	case list.IsFlow() && n.IsFlow() && bytes.HasPrefix(inside, []byte(wasNull)):
		return splice.Set(n, path, nil)
	case list.IsFlow() && n.IsFlow() && bytes.HasPrefix(inside, []byte(wasEmpty)):
		out, err := splice.EditItems(n, path, splice.ItemChange{Remove: list.Len()})
		if err == nil {
			out[0].Start = list.Offset() + 1
		}
		return out, err
	case list.IsFlow() && !n.IsFlow():
		return splice.EditItems(n, path, splice.ItemChange{Remove: list.Len()})
	case !list.IsFlow() && columnOf(list)-columnOf(n) >= 4:
		out, err := splice.Set(n, path, nil)
		for i := range out {
			out[i].Text = strings.TrimSuffix(out[i].Text, " null")
		}
		return out, err
	}
	return splice.Delete(n, path)
}

// columnOf returns how many characters are before a node in its line.
func columnOf(n manifest.Node) int {
	before := n.Document().Text()[:n.Offset()]
	return len(before) - 1 - bytes.LastIndexByte(before, '\n')
}
