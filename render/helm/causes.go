package helm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// maxCause bounds an error's text: helm's carry whole templates.
const maxCause = 1200

// yamlCause returns a YAML error's text up to where the library begins to quote content. Wanted is what the text was
// to hold.
func yamlCause(err error, wanted string) error {
	text := err.Error()
	for _, quote := range []string{"`", "map key: ", "value: "} {
		text, _, _ = strings.Cut(text, quote)
	}
	if before, _, ok := strings.Cut(text, "unknown anchor '"); ok {
		text = before + "unknown anchor"
	}
	for _, prefix := range []string{
		"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "json: ", "yaml: ",
	} {
		text = strings.TrimPrefix(text, prefix)
	}
	if what, ok := strings.CutPrefix(text, "cannot unmarshal "); ok {
		what, _, _ = strings.Cut(what, " into Go ")
		article := "a "
		if strings.ContainsAny(what[:min(1, len(what))], "aeio") { // as array and object
			article = "an "
		}
		return fmt.Errorf("not %s but %s", wanted, article+truncate(what))
	}
	return errors.New(truncate(strings.TrimSpace(text)))
}

// unreadable returns an error about a file that YAML refuses, at its line and with the next step. Where the file itself
// shows neither, the line is the library's, 0 for none.
func unreadable(name string, text []byte, cause error, line int) *diag.Error {
	out := &diag.Error{Exit: diag.ExitInput, Pos: diag.Position{File: name, Line: line}, Err: cause}
	for _, err := range manifest.Documents(text, name) {
		if known := (*diag.Error)(nil); errors.As(err, &known) && known.Pos.Line > 0 {
			out.Pos.Line, out.Hint = known.Pos.Line, known.Hint
			break
		}
	}
	return out
}

// yamlLine returns the line that a YAML error names, or 0.
func yamlLine(err error) int {
	m := regexp.MustCompile(`yaml: line (\d+):`).FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// truncate cuts what is too long for one line of an error out of the middle of a text: helm names the template first
// and the cause last, with each template that includes another one between them.
func truncate(text string) string {
	if len(text) <= maxCause {
		return text
	}
	head, tail := maxCause/3, len(text)-maxCause*2/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + " ... " + text[tail:]
}
