package convert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/manifest"
)

// snippet decodes an entry of a mapping as nodes with comments. In brackets a key may stand right before its value.
func snippet(text []byte, in, key, value manifest.Node) (*yaml.Node, error) {
	from, end := key.Offset(), entryEnd(text, key, value)
	if value.IsFlow() || value.IsScalar() {
		end = max(value.End(), from)
	}
	var doc yaml.Node
	entry := strings.Repeat(" ", column(text, from)) + string(text[from:end]) + "\n"
	if in.IsFlow() {
		entry = "{" + string(text[from:end]) + "\n}"
	}
	entry = strings.ReplaceAll(entry, "\r\n", "\n") // else comments would be lost
	if err := yaml.Unmarshal([]byte(entry), &doc); err != nil || len(doc.Content) == 0 ||
		len(doc.Content[0].Content) < 2 {
		return nil, fmt.Errorf("read %s: its text cannot be read by itself", key.Text())
	}
	return doc.Content[0].Content[1], nil
}

// homeless returns the comments of an entry, which begins in a column, that are not in the text which replaces it: as
// those behind brackets and on what has no line of its own any more. They stand in its order.
func homeless(entry []byte, column int, now string) (out []string) {
	var doc yaml.Node
	text := strings.Repeat(" ", column) + strings.ReplaceAll(string(entry), "\r\n", "\n") + "\n"
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil // snippet reports that
	}
	var find func(n *yaml.Node)
	keep := func(comment string) {
		for line := range strings.SplitSeq(comment, "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.Contains(now, line) && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	find = func(n *yaml.Node) {
		keep(n.HeadComment)
		keep(n.LineComment)
		for _, below := range n.Content {
			find(below)
		}
		keep(n.FootComment)
	}
	find(&doc)
	return out
}

func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

// column returns the distance of an offset from the beginning of its line.
func column(text []byte, at int) int { return at - 1 - bytes.LastIndexByte(text[:at], '\n') }

// lineEnd returns the end of the line that contains an offset or ends there, without its line break.
func lineEnd(text []byte, at int) int {
	end := len(text)
	if at > 0 && text[at-1] == '\n' {
		end = at - 1
	} else if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > 0 && end < len(text) && text[end-1] == '\r' {
		end--
	}
	return end
}

// entryEnd returns where an entry ends, at the end of a line. A comment below it that begins no further to the right
// than its key is about what follows.
func entryEnd(text []byte, key, value manifest.Node) int {
	end, margin := lineEnd(text, value.End()), column(text, key.Offset())
	for at := end; ; {
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		line := bytes.TrimRight(text[start:at], " \t\r")
		body := bytes.TrimLeft(line, " ")
		isComment := len(body) > 0 && body[0] == '#' && len(line)-len(body) <= margin
		if start <= key.Offset() || len(body) > 0 && !isComment {
			return end
		}
		if isComment {
			end = lineEnd(text, start)
		}
		at = start - 1
	}
}

// lineBreak returns what ends the line of an offset, or in the last one the line before it.
func lineBreak(text []byte, at int) string {
	if bytes.HasPrefix(text[lineEnd(text, at):], []byte("\r\n")) || bytes.HasSuffix(lineAbove(text, at), []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// lineAbove returns the text up to the line of an offset.
func lineAbove(text []byte, at int) []byte { return text[:bytes.LastIndexByte(text[:at], '\n')+1] }
