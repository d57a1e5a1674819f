package protect

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// Trailer is the word that begins an approval in the message of a commit.
const Trailer = "Rollstamp-Approve"

// Approval approves what becomes of an object.
type Approval struct {
	Text string // as it is written
	// Kind, Namespace and Name are of the object; all are "" where the text names none.
	Kind, Namespace, Name string
	At                    diag.Position // of the line, as people see it; the zero value for a trailer
	Commit                string        // of a trailer
}

// Approvals are what was approved between the sides of a comparison.
type Approvals struct {
	Trailers []Approval
	Files    map[string][]Approval // by the file's path: lines that the new side has, and the old one has not
	Part     bool                  // others are compared elsewhere, so that it is not known which of these approve nothing
}

// String returns where the approval is.
func (a Approval) String() string {
	if a.Commit != "" {
		return "commit " + a.Commit[:min(len(a.Commit), 12)]
	}
	return a.At.String()
}

// IsFor reports whether the approval is one of an object, by its name or that without a hash. That of an object whose
// namespace is not known may name none, the one that Helm takes then, or one in which a rule protects it.
func (a Approval) IsFor(o Object) bool {
	isThere := a.Namespace == o.Namespace || o.Unplaced && (a.Namespace == helmDefault ||
		slices.ContainsFunc(o.Among, func(g config.Glob) bool { return g.Match(a.Namespace) }))
	return strings.EqualFold(a.Kind, o.Kind) && isThere &&
		(a.Name == o.Name || a.Name == o.Base && a.Name != "")
}

// helmDefault is the namespace that Helm takes where nobody names one.
const helmDefault = "default"

// ParseFile returns the approvals that a file has and an older version of it has not. A line is an object, and what
// follows a blank or "#" is for people, so that a line can be told from an earlier one for the same object.
func ParseFile(name string, older, text []byte) (out []Approval) {
	known := map[string]int{}
	for line := range strings.Lines(string(older)) {
		known[strings.TrimSpace(line)]++
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if known[line] > 0 {
			known[line]--
			continue
		}
		object, _, _ := strings.Cut(line, "#")
		if words := strings.Fields(object); len(words) > 0 {
			one := parse(words[0])
			one.At = diag.Position{File: name, Line: number}
			out = append(out, one)
		}
	}
	return out
}

// ParseMessage returns the approvals in the message of a commit. A trailer may stand in any paragraph: what joins
// commits does not leave it in the last one.
func ParseMessage(commit, message string) (out []Approval) {
	for line := range strings.Lines(message) {
		word, text, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(word, Trailer) {
			continue
		}
		one := parse(strings.TrimSpace(text))
		one.Commit = commit
		out = append(out, one)
	}
	return out
}

func parse(text string) Approval {
	words := strings.Split(text, "/")
	out := Approval{Text: text}
	if slices.Contains(words, "") || strings.ContainsAny(text, " \t") {
		return out
	}
	switch len(words) {
	case 2:
		out.Kind, out.Name = words[0], words[1]
	case 3:
		out.Kind, out.Namespace, out.Name = words[0], words[1], words[2]
	}
	return out
}

// All returns all approvals: trailers, then those in files in the order of these.
func (a Approvals) All() []Approval {
	out := slices.Clone(a.Trailers)
	for _, name := range slices.Sorted(maps.Keys(a.Files)) {
		out = append(out, a.Files[name]...)
	}
	return out
}
