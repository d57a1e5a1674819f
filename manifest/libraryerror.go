package manifest

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
)

var (
	lineInError   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): `) })
	anchorInError = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:unknown )?anchor '(.*)' (?:referenced|value contains itself)$`)
	})
	quotedInError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`") })
)

// LibraryError returns what a YAML library said of the document's Body as an error at its line in a file, and without
// whatever may be a value.
func (d *Document) LibraryError(file string, err error) error {
	at := d.Start + len(d.Bytes()) - len(d.Body())
	wrong := libraryError(d.text, at, err)
	wrong.Pos.File = file
	return wrong
}

// libraryError returns an error of the library with its line counted in the whole text, and without whatever may be a
// value in its message.
func libraryError(text []byte, from int, err error) *diag.Error {
	msg := err.Error()
	at := from
	if m := lineInError().FindStringSubmatchIndex(msg); m != nil {
		n, _ := strconv.Atoi(msg[m[2]:m[3]])
		msg = msg[m[1]:]
		for ; n > 1 && at < len(text); n-- {
			at = nextLine(text, at)
		}
		if countsFromZero(msg) {
			at = nextLine(text, at)
		}
	}
	msg = strings.TrimPrefix(strings.TrimPrefix(msg, "error converting YAML to JSON: "), "yaml: ")
	if m := anchorInError().FindStringSubmatch(msg); m != nil {
		at = from + max(bytes.Index(text[from:], []byte("*"+m[1])), 0) // the message has no line
	}
	if msg == "control characters are not allowed" {
		at = from + max(bytes.IndexFunc(text[from:], isControl), 0) // nor has this
	}
	at = min(at, len(bytes.TrimRight(text, "\n"))) // at the end it is the last line that there is
	hint := "Look there and just before for a bracket or quote that is not closed, a tab, or another indentation."
	if isFilledIn(text, at) {
		hint = filledInHint
	}
	return &diag.Error{
		Exit: diag.ExitInput, Pos: diag.Position{Line: lineOf(text, at)},
		Err: errors.New("parse YAML: " + withoutValues(msg)), Hint: hint,
	}
}

// badKey returns the error of a key at an offset that is none.
func badKey(text []byte, at int) error {
	hint := ""
	if isFilledIn(text, at) {
		hint = filledInHint
	}
	return diag.Input(diag.Position{Line: lineOf(text, at)},
		errors.New("parse YAML: a key is a mapping or a sequence, which Kubernetes does not accept"), hint)
}

// filledInHint is for what is YAML only after a template has filled it in.
const filledInHint = "YAML reads {{ as the beginning of a mapping: put quotes around what is filled in later; a template " +
	"of a chart is rendered first, as by rollstamp render CHART."

// isFilledIn reports whether the line at an offset, or the one before it, has a value that a template fills in: {{
// where a value or a line begins.
func isFilledIn(text []byte, at int) bool {
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	if from > 0 {
		from = bytes.LastIndexByte(text[:from-1], '\n') + 1
	}
	for line := range bytes.Lines(text[from:min(nextLine(text, at), len(text))]) {
		before, _, ok := bytes.Cut(line, []byte("{{"))
		before = bytes.TrimRight(before, " ")
		if ok && (len(before) == 0 || bytes.IndexByte([]byte(":-[,"), before[len(before)-1]) >= 0) {
			return true
		}
	}
	return false
}

// countsFromZero reports whether a message is one of the library's parser, which counts lines from 0; its scanner
// counts them from 1.
func countsFromZero(msg string) bool {
	return strings.HasPrefix(msg, "did not find expected") ||
		strings.HasPrefix(msg, "found undefined tag") ||
		strings.HasPrefix(msg, "found incompatible")
}

// isControl reports whether YAML does not allow a character.
func isControl(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	}
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
}

// withoutValues returns a message of the library without what it quotes from the text.
func withoutValues(msg string) string {
	switch {
	case strings.HasPrefix(msg, "unsupported map key"):
		return "a key is neither a string nor a number nor a boolean"
	case strings.HasPrefix(msg, "cannot decode"):
		return "a value does not match its tag"
	case strings.HasPrefix(msg, "unknown anchor"):
		return "an alias to an unknown anchor"
	case strings.HasPrefix(msg, "anchor "):
		return "an anchor that contains itself"
	}
	return quotedInError().ReplaceAllStringFunc(msg, func(quoted string) string {
		if len(quoted) > len("'::'") && quoted != "'<document start>'" {
			return "..."
		}
		return quoted
	})
}
