package render

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// Field returns the position of a field of an object that lies at a position, as far as the file has it: the nearest
// entry around it otherwise. A file that is no manifest, such as a template, leaves the position as it is. A path is as
// spec.template.spec.containers[web].ports[0]: items of lists by name or index, keys with dots in quotes.
func (l *Lines) Field(at diag.Position, kind, name, path string) diag.Position {
	if at.File == "" || at.Line == 0 || path == "" {
		return at
	}
	f, known := l.files[at.File]
	if !known {
		f = l.readFile(at.File)
		l.files[at.File] = f
	}
	i, _ := slices.BinarySearchFunc(f.parts, at.Line, func(p part, line int) int { return p.last - line })
	if i == len(f.parts) {
		return at
	}
	d, err := manifest.NewReader(f.parts[i].text).Next()
	if err != nil || d == nil {
		return at
	}
	for o := range d.Objects() {
		if o.Kind != kind || !strings.Contains(name, o.Name) { // a kustomization adds to names
			continue
		}
		if offset := offsetOf(o.Node, fieldsOf(path)); offset > 0 {
			at.Line = f.parts[i].first + bytes.Count(f.parts[i].text[:offset], []byte("\n"))
		}
		break
	}
	return at
}

// linedFile is a file of manifests, as documents with their lines.
type linedFile struct{ parts []part }

// part is a document of a file.
type part struct {
	text        []byte
	first, last int // its lines, from 1
}

// readFile reads a file that may be one of manifests; one that is not has no parts.
func (l *Lines) readFile(name string) (f linedFile) {
	text, err := l.system.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return linedFile{}
	}
	line := 1
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		switch {
		case err != nil:
			return linedFile{}
		case d == nil:
			return f
		}
		next := line + bytes.Count(d.Bytes(), []byte("\n"))
		f.parts = append(f.parts, part{d.Bytes(), line, max(line, next-1)})
		line = next
	}
}

// fieldsOf returns the steps of a path.
func fieldsOf(path string) (out []string) {
	for len(path) > 0 {
		path = strings.TrimPrefix(path, ".")
		if rest, isItem := strings.CutPrefix(path, "["); isItem {
			end := strings.IndexByte(rest, ']')
			if quoted, err := strconv.QuotedPrefix(rest); err == nil {
				end = len(quoted)
			}
			if end < 0 || end >= len(rest) {
				return out
			}
			step := rest[:end]
			if text, err := strconv.Unquote(step); err == nil {
				step = text
			}
			out, path = append(out, step), rest[end+1:]
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		out, path = append(out, path[:end]), path[end:]
	}
	return out
}

// offsetOf returns where the entry is that steps lead to in a node, or the last one on the way that is there; 0 for
// none.
func offsetOf(n manifest.Node, steps []string) (offset int) {
	for _, step := range steps {
		var entry manifest.Node
		if n.IsSeq() {
			n = itemOf(n, step)
			entry = n
		} else {
			entry, n = n.OwnEntry(step)
		}
		if !entry.Valid() || !n.Valid() {
			return offset
		}
		offset = entry.Offset()
	}
	return offset
}

// itemOf returns the item of a list with a name, else the one at an index.
func itemOf(list manifest.Node, step string) manifest.Node {
	for item := range list.Items() {
		if item.Get("name").StringValue() == step {
			return item
		}
	}
	index, err := strconv.Atoi(step)
	if err != nil {
		return manifest.Node{}
	}
	return list.Item(index)
}
