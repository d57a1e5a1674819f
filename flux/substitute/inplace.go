package substitute

import (
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/manifest"
)

// inPlace reports whether the text of an object after substitution is, as it stands, the object that the controller
// applies: where nothing but the values of scalars changed, to what comes out of its readers and printers as it went
// in. All else is read and written again as the controller does.
func inPlace(before, after *manifest.Document) bool {
	return before.Fast() && after.Fast() && alike(before.Root(), after.Root())
}

// alike reports whether two nodes differ in safe scalars only.
func alike(before, after manifest.Node) bool {
	switch {
	case before.IsMap():
		if !after.IsMap() {
			return false
		}
		was, is := before.Fields(), after.Fields()
		for was.Next() {
			if !is.Next() || string(was.Key.Raw()) != string(is.Key.Raw()) || !alike(was.Value, is.Value) {
				return false
			}
		}
		return !is.Next()
	case before.IsSeq():
		if !after.IsSeq() {
			return false
		}
		was, is := before.Elements(), after.Elements()
		for was.Next() {
			if !is.Next() || !alike(was.Item, is.Item) {
				return false
			}
		}
		return !is.Next()
	}
	return after.IsScalar() && (string(before.Raw()) == string(after.Raw()) || isSafe(after))
}

// isSafe reports whether a scalar is the same after any number of conversions between YAML and JSON.
func isSafe(n manifest.Node) bool {
	switch kind, text := n.TypeAndText(); kind {
	case manifest.String:
		return isSafeText(text)
	case manifest.Bool:
		return text == "true" || text == "false"
	case manifest.Number:
		const exact = 15 // digits, which a float64 holds
		digits := strings.TrimPrefix(text, "-")
		return len(digits) <= exact && strings.Trim(digits, "0123456789") == "" && (digits[0] != '0' || text == "0")
	}
	return false
}

// isSafeText reports whether a text holds nothing that YAML has to escape, and no line that it has to indent in words.
func isSafeText(text string) bool {
	if text == "" || text[0] == '\n' || text[0] == ' ' {
		return false
	}
	for _, r := range text {
		switch {
		case r == '\n', ' ' <= r && r <= '~':
		case r < 0xA0, r == 0x2028, r == 0x2029, r == 0xFEFF, r == utf8.RuneError, r > 0xFFFD:
			return false
		}
	}
	return true
}

// other stands for a scalar that is no text.
type other struct{ raw string }

// value returns what a document holds, to be compared: texts are strings, other scalars what is written.
func value(n manifest.Node) any {
	switch {
	case n.IsMap():
		out := map[string]any{}
		for f := n.Fields(); f.Next(); {
			out[f.Key.Text()] = value(f.Value)
		}
		return out
	case n.IsSeq():
		var out []any
		for e := n.Elements(); e.Next(); {
			out = append(out, value(e.Item))
		}
		return out
	}
	kind, text := n.TypeAndText()
	if kind == manifest.String {
		return strings.Clone(text)
	}
	return other{string(n.Raw())}
}
