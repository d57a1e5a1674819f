package helm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
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
		return fmt.Errorf("not %s: cannot read %s", wanted, truncate(what))
	}
	return errors.New(truncate(strings.TrimSpace(text)))
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
