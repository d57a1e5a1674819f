package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
)

// Mention is a file that is no manifest, such as one with values, and mentions annotations of a tool.
type Mention struct {
	Tool string   `json:"tool"`
	Keys []string `json:"keys"`
	// Failed reports that the file is of an application that could not be rendered.
	Failed bool   `json:"failed,omitempty"`
	name   string // of the object, where it is one that could not be rendered
	Place
}

// MentionsInFailed returns what a file of an application that could not be rendered mentions of tools.
func MentionsInFailed(file string, text []byte) (out []Mention) {
	out = mentions(toolsIn(text), file, text, true)
	for i := range out {
		out[i].Failed = true
	}
	return out
}

// MentionsIn returns what a file mentions of tools outside of comments; nil where it has manifests, of which the report
// is made.
func MentionsIn(file string, text []byte) (out []Mention) {
	all := toolsIn(text)
	if len(all) == 0 || hasManifests(text) {
		return nil
	}
	return mentions(all, file, text, false)
}

// toolsIn returns the tools that a text can have something of.
func toolsIn(text []byte) []tool {
	return slices.DeleteFunc(tools(), func(t tool) bool { return !mayHave(&t, text) })
}

// mentions returns what the lines of a file mention; of one that could not be rendered the kinds of tools, too.
func mentions(all []tool, file string, text []byte, ofObjects bool) (out []Mention) {
	if len(all) == 0 {
		return nil
	}
	line := 0
	for row := range bytes.Lines(text) {
		line++
		if bytes.HasPrefix(bytes.TrimSpace(row), []byte("#")) {
			continue
		}
		for _, t := range all {
			words := t.keys
			if ofObjects && bytes.Contains(row, []byte("apiVersion")) {
				words = slices.Concat(words, t.groups)
			}
			for _, begin := range words {
				if key := wordAt(row, begin); key != "" {
					out = addMention(out, Mention{Tool: t.name, Keys: []string{key}, Place: Place{File: file, Line: line}})
				}
			}
		}
	}
	return out
}

// AddMentions adds what objects mention that could not be rendered, where it was not found in the render of what has
// them.
func (r *Report) AddMentions(all []Mention) {
	for _, m := range all {
		isFound := func(f Found) bool {
			return f.Where == InValues && f.File == m.File && strings.HasSuffix(f.Object, m.name)
		}
		has := func(t Tool) bool { return t.Name == m.Tool && slices.ContainsFunc(t.Found, isFound) }
		if !slices.ContainsFunc(r.Tools, has) {
			r.Mentioned = append(r.Mentioned, m)
		}
	}
}

// addMention adds what a line mentions; that of further lines of a file goes to the first.
func addMention(all []Mention, m Mention) []Mention {
	i := slices.IndexFunc(all, func(other Mention) bool { return other.Tool == m.Tool })
	if i < 0 {
		return append(all, m)
	}
	if !slices.Contains(all[i].Keys, m.Keys[0]) {
		all[i].Keys = append(all[i].Keys, m.Keys[0])
	}
	return all
}

// hasManifests reports whether a document of a text is an object, or a line is the kind of one: a file that cannot be
// read as YAML may be of an engine that takes it.
func hasManifests(text []byte) bool {
	for row := range bytes.Lines(text) {
		if bytes.HasPrefix(row, []byte("kind:")) || bytes.HasPrefix(bytes.TrimLeft(row, " \t{"), []byte(`"kind":`)) {
			return true
		}
	}
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		if err != nil || d == nil {
			return false
		}
		for range d.Objects() {
			return true
		}
	}
}

// wordAt returns the word of a line that has a beginning; "" for none.
func wordAt(row []byte, begin string) string {
	inWord := func(r rune) bool {
		return r == '.' || r == '/' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' ||
			'a' <= r && r <= 'z'
	}
	if !bytes.Contains(row, []byte(begin)) { // nearly always
		return ""
	}
	for word := range strings.FieldsFuncSeq(string(row), func(r rune) bool { return !inWord(r) }) {
		if strings.HasPrefix(word, begin) {
			return word
		}
	}
	return ""
}
