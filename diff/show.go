package diff

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/refs"
)

// longest is how much of a value a report holds, in bytes.
const longest = 4096

// join adds a key to a path, in quotes where a dot in it would mislead.
func join(path, key string) string {
	if strings.ContainsAny(key, "./[] ") || key == "" {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// show returns a value as a report holds it.
func show(v any) string { return cut(withoutSums(withoutGuessable(textOf(v))), longest) }

// showAfter returns a value that replaces another one.
func showAfter(before, v any) string {
	return cut(withoutSumsAfter(textOf(before), withoutGuessable(textOf(v))), longest)
}

// textOf returns a text as it is, and everything else as JSON. What a report will hold is a copy, because a text may be
// a part of a whole document, which would stay in memory with it.
func textOf(v any) string {
	if text, ok := v.(string); ok {
		if len(text) <= longest {
			return strings.Clone(text)
		}
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}

// cut shortens a text to n bytes, between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// Without a hash key the digest of a Secret lets anyone who sees it try values until one fits. It is in the
// manifests; a report goes further than these, so it is left out there.

// guessable reports whether a value at a path is such a digest.
func guessable(path string, value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(text, hashing.PlainPrefix) &&
		isStampOfSecret(path)
}

// isStampOfSecret reports whether a path ends in the key of a stamp that a Secret has, or all objects together, under
// whatever prefix.
func isStampOfSecret(path string) bool {
	if name, ok := variableAt(path); ok {
		return strings.HasPrefix(name, hashing.Variable(refs.Secret, "")) || name == hashing.CombinedVariable
	}
	key, ok := lastKey(path)
	_, name, prefixed := strings.Cut(key, "/")
	return ok && prefixed && (strings.HasPrefix(name, "secret.") || name == hashing.CombinedName)
}

// inside finds such digests in the JSON of what holds them, which may be a text in JSON itself.
var inside = sync.OnceValue(func() *regexp.Regexp {
	const annotation, variable = `/(?:secret\.[^"\\]*|all)`, `ROLLSTAMP_(?:SECRET_[A-Z0-9_]*|ALL)\\*",\s*\\*"value`
	return regexp.MustCompile(`((?:` + annotation + `|` + variable + `)\\*":\s*\\*")` + hashing.PlainPrefix + `[0-9a-f]+`)
})

// withoutGuessable puts a mask in their places.
func withoutGuessable(text string) string {
	if !strings.Contains(text, hashing.PlainPrefix) {
		return text
	}
	return inside().ReplaceAllString(text, "${1}(hidden)")
}
