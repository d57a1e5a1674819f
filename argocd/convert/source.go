package convert

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/workspace"
)

// native are the options of one kind that a source has.
type native struct {
	key, value manifest.Node
	options    *yaml.Node
	isChosen   bool // they say something, so that they choose the kind of the source
}

// natives returns all native options of a source. Those of a dry source choose its kind whatever they say: there Argo
// CD takes none out.
func (c *conversion) natives(s manifest.Node) (all []native, err error) {
	for _, name := range argocd.NativeFields() {
		k, v := s.OwnEntry(name)
		if !k.Valid() {
			continue
		}
		options, err := snippet(s.Document().Text(), s, k, v)
		if err != nil {
			return nil, &sourceError{k, err}
		}
		all = append(all, native{k, v, options, c.isChosen(name, options)})
	}
	return all, nil
}

// isChosen reports whether the options in a native field choose the kind of their source. Those that Argo CD cannot
// read do, so that they are reported.
func (c *conversion) isChosen(field string, options *yaml.Node) bool {
	if options.ShortTag() == "!!null" {
		return false
	}
	var value any
	var source argocd.Source
	if options.Decode(&value) != nil || typed.Decode(map[string]any{field: value}, &source) != nil {
		return true
	}
	return c.inDry || len(source.Chosen()) > 0
}

// nativeOptions returns the options by which the source is rendered, or else the first ones; the others say nothing.
func (c *conversion) nativeOptions(s manifest.Node) (of native, others []native, err error) {
	all, err := c.natives(s)
	if err != nil || len(all) == 0 {
		return of, nil, err
	}
	best := 0
	for i, n := range all {
		switch {
		case n.isChosen && all[best].isChosen && i != best:
			err := errors.New("multiple application sources defined: " + all[best].key.Text() + " and " + n.key.Text())
			return of, nil, &sourceError{n.key, err}
		case n.isChosen:
			best = i
		}
	}
	return all[best], slices.Delete(slices.Clone(all), best, best+1), nil
}

// otherKind returns why the plugin would refuse the options of a source: it goes by the files of the folder, and these
// are of another kind than the options.
func (c *conversion) otherKind(s manifest.Node, of native) error {
	if !of.isChosen || s.Get("chart").Valid() {
		return nil
	}
	kind, isKnown := c.kindOf(s)
	if chosen := argocd.KindOfField(of.key.Text()); isKnown && kind != chosen {
		return fmt.Errorf("%s is %s, and %s has options of %s: Argo CD goes by the options, and the plugin by the "+
			"folder's files", s.Get("path").Text(), argocd.KindName(kind), of.key.Text(), argocd.KindName(chosen))
	}
	return nil
}

// kindOf returns what a source's folder is by its files, and whether that is known.
func (c *conversion) kindOf(s manifest.Node) (render.Kind, bool) {
	address, path := s.Get("repoURL").Text(), s.Get("path").Text()
	rev := workspace.Revision{Name: s.Get("targetRevision").Text(), TagPrefix: s.Get("tagPrefix").Text()}
	if c.KindOf == nil || strings.Contains(address+path+rev.Name+rev.TagPrefix, "{{") {
		return "", false
	}
	return c.KindOf(address, rev, path)
}

// takeOut returns the edits that take options out which say nothing.
func takeOut(s manifest.Node, all []native) (edits []splice.Edit, err error) {
	for _, n := range all {
		made, err := splice.Delete(s, []string{n.key.Text()})
		if err != nil {
			return nil, fmt.Errorf("take out %s, which says nothing: %w", n.key.Text(), err)
		}
		edits = append(edits, made...)
	}
	return edits, nil
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
		for _, c := range slices.Backward(homeless(text[from:entryEnd(text, key, value)], column(text, from), block)) {
			block = c + "\n" + block
		}
	}
	block = strings.ReplaceAll(block, "\n", indent)
	block = strings.ReplaceAll(block, indent+end, end+end) // an empty line stays empty
	if key.Valid() {
		return []splice.Edit{{Start: from, End: from + len(bytes.TrimRight(text[from:entryEnd(text, key, value)], " \t\r\n")),
			Text: block}}, nil
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
