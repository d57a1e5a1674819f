package diff

import (
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/hashing"
)

// Without a hash key the digest of a Secret lets anyone who sees it try values until one fits. It is in the
// manifests; a report goes further than these, so it is left out there.

// guessable reports whether a value at a path is such a digest.
func guessable(path string, value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(text, hashing.PlainPrefix) && strings.Contains(path, secretStamp)
}

const secretStamp = `["` + hashing.Prefix + "secret."

// inside finds such digests in the JSON of what holds them, which may be a text in JSON itself.
var inside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(` + regexp.QuoteMeta(hashing.Prefix) + `secret\.[^"\\]*\\*":\s*\\*")` +
		hashing.PlainPrefix + `[0-9a-f]+`)
})

// withoutGuessable puts a mask in their places.
func withoutGuessable(text string) string {
	if !strings.Contains(text, hashing.Prefix) {
		return text
	}
	return inside().ReplaceAllString(text, "${1}(hidden)")
}
