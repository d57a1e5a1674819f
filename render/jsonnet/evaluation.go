package jsonnet

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// fixed are the messages of an evaluation that hold nothing from files or values.
var fixed = sync.OnceValue(func() *regexp.Regexp {
	const kind = `(any|array|boolean|function|null|number|object|string)`
	return regexp.MustCompile(`^(max stack frames exceeded\.|[Dd]ivision by zero\.|Unexpected type ` + kind +
		`(, expected ` + kind + `)?|function expected \d+ positional argument\(s\), but got \d+)$`)
})

// unopened is the message of an import, which names a file as the text does.
var unopened = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:couldn't open import "[^"]*": )?import "([^"]*)": (?:no such file, [a-z ]*|` +
		regexp.QuoteMeta(errOutside.Error()) + `|is absolute)$`)
})

// evaluationText returns a message of an evaluation without a name that may be computed, and reports whether it is one
// that can be shown so. Most others are none: error and assert take any text, which may begin as these do, and what the
// standard library refuses it quotes.
func (in *importer) evaluationText(message string) (string, bool) {
	if fixed().MatchString(message) {
		return message, true
	}
	if m := unopened().FindStringSubmatch(message); m != nil {
		return message, in.isWritten(m[1])
	}
	for _, form := range [...]struct{ before, after string }{
		{"Field does not exist: ", ""}, {"Undefined external variable: ", ""}, {"Missing argument: ", ""},
		{"function has no parameter ", ""}, {"Argument ", " already provided"}, {`Duplicate field name: "`, `"`},
	} {
		rest, isBegun := strings.CutPrefix(message, form.before)
		name, isEnded := strings.CutSuffix(rest, form.after)
		switch {
		case !isBegun || !isEnded:
		case in.isWritten(name):
			return message, true
		default:
			return strings.TrimRight(form.before, `:" `) + strings.TrimLeft(form.after, `"`) +
				"; its name is computed, may hold a value and is not shown", true
		}
	}
	return "", false
}

// isWritten reports whether a name stands by itself in a file that was read.
func (in *importer) isWritten(name string) bool {
	for _, contents := range in.known {
		text := contents.String()
		for at := 0; name != ""; at++ {
			next := strings.Index(text[at:], name)
			if next < 0 {
				break
			}
			at += next
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[at+len(name):])
			if !isOfWord(before) && !isOfWord(after) {
				return true
			}
		}
	}
	return name == ""
}

func isOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
