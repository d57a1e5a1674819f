package diag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Finding is something that a person should know about an input that was nevertheless processed.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Object   string   `json:"object,omitempty"` // "Kind namespace/name"
	Key      string   `json:"key,omitempty"`
	About    string   `json:"about,omitempty"` // another object that it names, written as Object is, or an annotation
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	// Notice: a person is shown it, with its hint, however low its severity is: something was left out, or is lost.
	Notice bool `json:"-"`
	// RenderLine is where it is in the text that was made of File, where its line there is not known.
	RenderLine int `json:"renderLine,omitempty"`
}

// New returns a finding with the severity and hint that the table of codes has for it.
func New(code Code, object, message string) Finding {
	row := codes[code]
	return Finding{Code: code, Severity: row.Severity, Message: message, Object: object, Hint: row.Hint}
}

// AsNotice returns the finding as one that a person is shown whatever its severity.
func (f Finding) AsNotice() Finding {
	f.Notice = true
	return f
}

// At returns the finding with a position.
func (f Finding) At(p Position) Finding {
	f.File, f.Line, f.RenderLine = p.File, p.Line, p.RenderLine
	return f
}

// Position is where the finding is.
func (f Finding) Position() Position { return Position{f.File, f.Line, f.RenderLine} }

// KeyTwice returns the finding of a key that is written twice in one mapping of an object, "" for none.
func KeyTwice(object, key string) Finding {
	return New(DuplicateKey, object, "key "+Quote(key)+" is written twice").WithKey(key)
}

// WithKey names the key that the finding is about.
func (f Finding) WithKey(key string) Finding {
	f.Key = key
	return f
}

// WithAbout names what the finding is about besides its object.
func (f Finding) WithAbout(what string) Finding {
	f.About = what
	return f
}

// Identity returns what of a finding stays the same when its line moves, its words become others, or a generator gives
// an object another suffix. Two findings may have the same one.
func (f Finding) Identity() string {
	return strings.Join([]string{
		string(f.Code), withoutHash(f.Object), f.Key, withoutHash(f.About), f.File,
	}, "\x00")
}

// hashDigits are the signs of the suffix that kustomize appends to generated names, and hashLength how many it has.
const (
	hashDigits = "2456789bcdfghkmt"
	hashLength = 10
)

// withoutHash returns the name of an object without the suffix of a generator.
func withoutHash(name string) string {
	i := len(name) - hashLength - 1
	if i < 1 || name[i] != '-' || strings.Trim(name[i+1:], hashDigits) != "" {
		return name
	}
	return name[:i]
}

// Sort orders findings by file, line, object, code, key and message, and drops exact repetitions, so that reports are
// the same every run.
func Sort(fs []Finding) []Finding {
	if !slices.IsSortedFunc(fs, compare) { // many are sorted already, each application's by themselves
		slices.SortStableFunc(fs, compare)
	}
	return slices.Compact(fs)
}

// compare is the order of Sort.
func compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.RenderLine, b.RenderLine),
		cmp.Compare(a.Object, b.Object), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Key, b.Key),
		cmp.Compare(a.About, b.About), cmp.Compare(a.Message, b.Message))
}

// Count returns a number with its noun, as messages write it: "1 digest", "2 digests".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + plural(noun)
}

// plural returns the plural of a noun, which may be a kind: OCIRepositories, Ingresses.
func plural(noun string) string {
	stem, endsInY := strings.CutSuffix(noun, "y")
	switch {
	case endsInY && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}

// Quote returns a text of the input in quotes, as messages write it.
func Quote(s string) string { return `"` + strings.ToValidUTF8(s, "?") + `"` }
