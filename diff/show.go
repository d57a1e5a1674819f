package diff

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diag"
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
func show(v any) string { return diag.Head(withoutSums(withoutGuessable(textOf(v))), longest) }

// showBoth returns a value and the one that replaces it. Of long texts that begin alike it is what is around the first
// difference.
func showBoth(from, to any) (before, after string) {
	before = withoutSums(withoutGuessable(textOf(from)))
	after = withoutSumsAfter(textOf(from), withoutGuessable(textOf(to)))
	const around = 64
	if at := firstDifference(before, after); at >= longest {
		start := at - around
		for start < at && !utf8.RuneStart(before[start]) {
			start++
		}
		return "..." + diag.Head(before[start:], longest), "..." + diag.Head(after[start:], longest)
	}
	return diag.Head(before, longest), diag.Head(after, longest)
}

// firstDifference returns the length of what two texts begin with.
func firstDifference(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
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

// Without a hash key the digest of a Secret lets anyone who sees it try values until one fits. It is in the
// manifests; a report goes further than these, so it is left out there.

// guessable reports whether a value at a path is such a digest.
func guessable(path string, value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(text, hashing.PlainPrefix) && (isStampOfSecret(path) || isDigestIn(path, text))
}

// isDigestIn reports whether a value is a digest in a variable that is none of ours. Of which kind of object it is does
// not show: the key __data is for all.
func isDigestIn(path, text string) bool {
	_, isOurs := variableAt(path)
	return !isOurs && strings.Contains(path, ".env[") && strings.HasSuffix(path, "].value") && hashing.IsDigest(text)
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

// inside finds such digests in the JSON of what holds them, which may be a text in JSON itself: those of ours, and
// those in variables of whatever name.
var inside = sync.OnceValue(func() (found [2]*regexp.Regexp) {
	const annotation, ours = `/(?:secret\.[^"\\]*|all)`, `ROLLSTAMP_(?:SECRET_[A-Z0-9_]*|ALL)\\*",\s*\\*"value`
	const entry = `((?:` + annotation + `|` + ours + `)\\*":\s*\\*")`
	found[0] = regexp.MustCompile(entry + hashing.PlainPrefix + `[0-9a-f]+`)
	const variable = `(name\\*":\s*\\*"([^"\\]*)\\*",\s*\\*"value\\*":\s*\\*")`
	found[1] = regexp.MustCompile(variable + hashing.PlainPrefix + `[0-9a-f]{16}`)
	return found
})

// withoutGuessable puts a mask in their places.
func withoutGuessable(text string) string {
	if !strings.Contains(text, hashing.PlainPrefix) {
		return text
	}
	of := inside()
	text = of[0].ReplaceAllString(text, "${1}(hidden)")
	return of[1].ReplaceAllStringFunc(text, func(found string) string {
		parts := of[1].FindStringSubmatch(found)
		if hashing.IsVariable(parts[2]) {
			return found
		}
		return parts[1] + "(hidden)"
	})
}
