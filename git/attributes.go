package git

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"
)

// attributesFile says how the files of a folder, and those below it, are checked out.
const attributesFile = ".gitattributes"

// attributes are what the files of attributes say of a path, by the names of the attributes.
type attributes map[string]string

// The values of an attribute that has none of its own.
const (
	attributeSet   = "true"
	attributeUnset = "false"
	noAttribute    = "" // it is as if no file had named it
)

// attributeRule is a line of a file of attributes.
type attributeRule struct {
	macro   string // the attribute that stands for values; "" for a line about files
	pattern gitattributes.Pattern
	values  [][2]string // in the order of the line
}

// folderRules are the rules of a folder's file of attributes, read when they are first asked for.
type folderRules struct {
	once  sync.Once
	rules []attributeRule
}

// attributes returns what the revision says of how a file is checked out; nil where it says no word. What cannot be
// read says nothing, as for Git.
func (at found) attributes() attributes {
	rel := strings.TrimPrefix(strings.TrimPrefix(at.path, at.in.path), "/")
	parts := strings.Split(rel, "/")
	var out attributes
	var macros []attributeRule
	var perFolder [][]attributeRule
	dir := at.in.top
	for i := range parts {
		rules := dir.attributeRules()
		perFolder = append(perFolder, rules)
		if i == 0 {
			macros = rules
		}
		if i == len(parts)-1 {
			break
		}
		next, err := dir.find(parts[i])
		if err != nil || next.mode != dirMode {
			break
		}
		dir = at.in.repo.folder(next.hash)
	}
	for i, rules := range slices.Backward(perFolder) {
		for _, rule := range slices.Backward(rules) {
			if rule.macro == "" && rule.pattern.Match(parts[i:]) {
				if out == nil {
					out = attributes{}
				}
				out.add(rule.values, macros)
			}
		}
	}
	return out
}

// add takes values of attributes that nothing has set before, and what they stand for.
func (a attributes) add(values [][2]string, macros []attributeRule) {
	for _, v := range slices.Backward(values) {
		if _, known := a[v[0]]; known {
			continue
		}
		a[v[0]] = v[1]
		if v[1] != attributeSet {
			continue
		}
		if v[0] == "binary" {
			a.add([][2]string{{"text", attributeUnset}}, nil)
		}
		for _, m := range slices.Backward(macros) {
			if m.macro == v[0] {
				a.add(m.values, macros)
				break
			}
		}
	}
}

// attributeRules returns the rules of the folder's own file.
func (f *folder) attributeRules() []attributeRule {
	f.attributes.once.Do(func() {
		e, err := f.find(attributesFile)
		if err != nil || e.mode == dirMode || e.mode == linkMode || e.mode == moduleMode {
			return
		}
		if text, err := f.repo.read(plumbing.BlobObject, e.hash); err == nil {
			f.attributes.rules = parseAttributes(text)
		}
	})
	return f.attributes.rules
}

// parseAttributes reads a file of attributes. Lines that Git would not understand are left out.
func parseAttributes(text []byte) (rules []attributeRule) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, rest := cutPattern(line)
		rule := attributeRule{}
		switch macro, isMacro := strings.CutPrefix(name, "[attr]"); {
		case name == "" || name[0] == '#' || name[0] == '!' || strings.HasSuffix(name, "/"):
			continue // a folder has no content
		case isMacro:
			rule.macro = macro
		default:
			rule.pattern = gitattributes.ParsePattern(name, nil)
		}
		for _, word := range strings.Fields(rest) {
			key, value, hasValue := strings.Cut(word, "=")
			switch {
			case hasValue:
			case key[0] == '-':
				key, value = key[1:], attributeUnset
			case key[0] == '!':
				key, value = key[1:], noAttribute
			default:
				value = attributeSet
			}
			rule.values = append(rule.values, [2]string{key, value})
		}
		rules = append(rules, rule)
	}
	return rules
}

// cutPattern returns the pattern that a line begins with, which may be in quotes, and what follows.
func cutPattern(line string) (name, rest string) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil && quoted[0] == '"' {
		name, _ = strconv.Unquote(quoted)
		return name, line[len(quoted):]
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, ""
	}
	return line[:end], line[end:]
}
