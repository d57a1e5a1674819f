package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// Raw HTML is let through: the pages are ours, and name anchors with it.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// entry is what the search finds: a part of a page below one heading, or a row with an anchor.
type entry struct {
	Page  string `json:"p"`
	Title string `json:"h"`
	URL   string `json:"u"`
	Text  string `json:"t"`
}

// anchors makes the anchors of headings as GitHub makes them, because links are written for it.
type anchors map[string]bool

var dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// Generate returns the anchor of a heading.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(string(value))), ""), " ", "-")
	name := slug
	for n := 1; a[name]; n++ {
		name = fmt.Sprintf("%s-%d", slug, n)
	}
	a[name] = true
	return []byte(name)
}

// Put notes an anchor that a page has by itself.
func (a anchors) Put(value []byte) { a[string(value)] = true }

// render fills in what the Markdown of a page says.
func (p *page) render(source []byte, pages map[string]*page) error {
	ids := anchors{}
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(target(p, string(link.Destination), pages))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	p.index(doc, source)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return err
	}
	// Wide tables scroll by themselves, and the page does not.
	wide := strings.NewReplacer("<table>", `<div class="wide"><table>`, "</table>", "</table></div>")
	p.HTML = wide.Replace(out.String())
	return nil
}

// index notes title, headings and what the search finds.
func (p *page) index(doc ast.Node, source []byte) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			p.open(h, plain(h, source))
			continue
		}
		if len(p.entries) == 0 {
			continue
		}
		if table, ok := n.(*extast.Table); ok && p.rows(table, source) {
			continue
		}
		p.entries[len(p.entries)-1].Text += plain(n, source) + " "
	}
}

// open begins an entry at a heading.
func (p *page) open(h *ast.Heading, title string) {
	anchor, _ := h.AttributeString("id")
	id, _ := anchor.([]byte)
	e := entry{Page: p.Title, Title: title, URL: p.URL + "#" + string(id)}
	switch h.Level {
	case 1:
		p.Title, e.Page, e.URL = title, title, p.URL
	case 2:
		p.Headings = append(p.Headings, heading{title, string(id)})
	}
	p.entries = append(p.entries, e)
}

var rowAnchor = regexp.MustCompile(`<a id="([^"]+)">`)

// rows makes an entry of each row that has an anchor, and reports whether there is one.
func (p *page) rows(table *extast.Table, source []byte) bool {
	found := false
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		raw := ""
		_ = ast.Walk(row, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if r, ok := n.(*ast.RawHTML); ok && entering {
				raw += string(r.Segments.Value(source))
			}
			return ast.WalkContinue, nil
		})
		if m := rowAnchor.FindStringSubmatch(raw); m != nil {
			found = true
			p.entries = append(p.entries, entry{Page: p.Title, Title: m[1], URL: p.URL + "#" + m[1], Text: plain(row, source)})
		}
	}
	return found
}

// plain returns the words of a node.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock || n.Kind() == extast.KindTableCell {
				out.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch t := n.(type) {
		case *ast.Text:
			out.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			lines := n.Lines()
			for i := range lines.Len() {
				line := lines.At(i)
				out.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(strings.ReplaceAll(out.String(), `\`, "")), " ")
}
