package convert

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// nativeOptions returns the entry of a source that has its native options; none where it has none.
func nativeOptions(s manifest.Node) (key, value manifest.Node, err error) {
	for _, name := range argocd.NativeFields() {
		k, v := s.OwnEntry(name)
		if !k.Valid() {
			continue
		}
		if key.Valid() {
			err := errors.New("multiple application sources defined: " + key.Text() + " and " + name)
			return key, value, &sourceError{k, err}
		}
		key, value = k, v
	}
	return key, value, nil
}

// leave reports that a source stays native, at the line of the option that is the cause. Key is that of its options.
func (c *conversion) leave(s, key manifest.Node, err error) {
	c.note(&c.out.Left, s, "%v", err)
	var option *optionError
	if errors.As(err, &option) && option.key != nil && key.Valid() {
		last := &c.out.Left[len(c.out.Left)-1]
		last.Pos.Line = lineAt(s.Document().Text(), key.Offset()) + option.key.Line - 1
	}
}

// leaveUnread reports that a source stays native which is not written plainly.
func (c *conversion) leaveUnread(s manifest.Node) {
	why := notPlain
	if s.Document().Root().IsFlow() {
		why = inBraces
	}
	c.note(&c.out.Left, s, "%s%s%s", why, explode, c.pos.File)
}

// put writes the plugin into the text: instead of the native options, or after the fields that locate the source.
func (c *conversion) put(s, key, value manifest.Node, plugin *yaml.Node) ([]splice.Edit, error) {
	text := s.Document().Text()
	entry := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word("plugin"), plugin}}
	if s.IsFlow() {
		write := flow
		if isJSON(s.Document()) {
			write = inJSON
		}
		flat, err := write(entry)
		switch {
		case err != nil:
			return nil, err
		case key.Valid():
			return []splice.Edit{{Start: key.Offset(), End: value.End(), Text: flat}}, nil
		}
		at := before(s).End()
		return []splice.Edit{{Start: at, End: at, Text: ", " + flat}}, nil
	}
	from := s.FirstKey().Offset()
	if key.Valid() {
		from = key.Offset()
	}
	end := lineBreak(text, from)
	indent := end + strings.Repeat(" ", column(text, from))
	block, err := encode(entry)
	if err != nil {
		return nil, err
	}
	block = strings.TrimRight(block, "\n")
	if key.Valid() {
		for _, c := range slices.Backward(homeless(text[from:lineEnd(text, value.End())], column(text, from), block)) {
			block = c + "\n" + block
		}
	}
	block = strings.ReplaceAll(block, "\n", indent)
	block = strings.ReplaceAll(block, indent+end, end+end) // an empty line stays empty
	if key.Valid() {
		return []splice.Edit{{Start: from, End: lineEnd(text, value.End()), Text: block}}, nil
	}
	at := lineEnd(text, before(s).End())
	return []splice.Edit{{Start: at, End: at, Text: indent + block}}, nil
}

// before returns the entry after which a plugin is inserted.
func before(s manifest.Node) manifest.Node {
	for _, name := range []string{"path", "chart"} {
		if _, v := s.OwnEntry(name); v.Valid() {
			return v
		}
	}
	return s.Get("repoURL")
}
