package manifest

import (
	"bytes"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
)

// separator reports whether a line that starts at i is a document marker of three c's: "---" or "...".
func separator(s []byte, i int, c byte) bool {
	if i+3 > len(s) || s[i] != c || s[i+1] != c || s[i+2] != c {
		return false
	}
	return i+3 == len(s) || s[i+3] == '\n' || s[i+3] == ' ' || s[i+3] == '\r' || s[i+3] == '\t'
}

// begin returns the offset after the byte order mark and the "---" with which a document at from begins.
func begin(s []byte, from int) (body int) {
	body = from
	if from == 0 && bytes.HasPrefix(s, bom) {
		body = len(bom)
	}
	if separator(s, body, '-') {
		body += 3
	}
	return body
}

// split finds the document that begins at from: its start, where its content begins (after the "---"), and its end.
func split(s []byte, from int) (start, body, end int) {
	start, body = from, begin(s, from)
	at := body // where to look for the next marker
	switch {
	case separator(s, body, '.'):
		return start, body, afterDots(s, body)
	case body == from && from > 0:
		at-- // the line feed before the first line
	}
	end = marker(s, at, "\n---")
	if directives(s[body:end]) && end < len(s) {
		// Directives belong to the document whose "---" follows them.
		end = marker(s, end+3, "\n---")
	}
	if dots := marker(s[:end], at, "\n..."); dots < end {
		return start, body, afterDots(s, dots)
	}
	return start, body, end
}

// afterDots returns the offset after the "..." line at i and those that follow it: they end the same document again.
func afterDots(s []byte, i int) int {
	for separator(s, i, '.') {
		i = nextLine(s, i)
	}
	return i
}

// marker returns the start of the next line that is a document marker, or the end of s. It looks from the line feed
// before the line.
func marker(s []byte, from int, mark string) int {
	for from < len(s) {
		i := bytes.Index(s[from:], []byte(mark))
		if i < 0 {
			break
		}
		from += i + 1
		if separator(s, from, mark[1]) {
			return from
		}
	}
	return len(s)
}

// directives reports whether s holds directives, and otherwise nothing but comments.
func directives(s []byte) bool {
	found := false
	for len(s) > 0 {
		n := nextLine(s, 0)
		if line := bytes.TrimSpace(s[:n]); len(line) > 0 && line[0] != '#' {
			if s[0] != '%' {
				return false
			}
			found = true
		}
		s = s[n:]
	}
	return found
}

var bom = []byte("\xef\xbb\xbf")

// nextLine returns the offset after the next line feed at or after i.
func nextLine(s []byte, i int) int {
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// lineOf counts the line that offset lies in, from 1.
func lineOf(s []byte, offset int) int { return 1 + bytes.Count(s[:offset], []byte{'\n'}) }

func invalid(s []byte, offset int, format string, args ...any) error {
	return diag.Input(diag.Position{Line: lineOf(s, offset)}, fmt.Errorf("parse YAML: "+format, args...), "")
}

// skipMark returns the offset after a byte order mark with which a document begins, also one after its separator, where
// files were put one after the other.
func skipMark(doc []byte) int {
	i := bytes.Index(doc[:min(len(doc), 80)], bom)
	if i < 0 || len(bytes.Trim(doc[:i], "- \t\r\n")) > 0 {
		return 0
	}
	return i + len(bom)
}
