package convert

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/manifest"
)

// snippet decodes an entry of a mapping as nodes with comments. In brackets a key may stand right before its value.
func snippet(text []byte, in, key, value manifest.Node) (*yaml.Node, error) {
	from, end := key.Offset(), lineEnd(text, value.End())
	if value.IsFlow() || value.IsScalar() {
		end = max(value.End(), from)
	}
	var doc yaml.Node
	entry := strings.Repeat(" ", column(text, from)) + string(text[from:end])
	if in.IsFlow() {
		entry = "{" + string(text[from:end]) + "\n}"
	}
	if err := yaml.Unmarshal([]byte(entry), &doc); err != nil || len(doc.Content) == 0 ||
		len(doc.Content[0].Content) < 2 {
		return nil, fmt.Errorf("read %s: its text cannot be read by itself", key.Text())
	}
	return doc.Content[0].Content[1], nil
}

func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

// column returns the distance of an offset from the beginning of its line.
func column(text []byte, at int) int { return at - 1 - bytes.LastIndexByte(text[:at], '\n') }

// lineEnd returns the end of the line that contains an offset or ends there, without its line feed.
func lineEnd(text []byte, at int) int {
	if at > 0 && text[at-1] == '\n' {
		return at - 1
	}
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}
