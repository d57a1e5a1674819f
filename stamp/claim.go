package stamp

import (
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/splice"
)

// claim owns the stamps among the entries of a mapping.
func claim(key string) splice.Claim {
	if strings.HasPrefix(key, hashing.Prefix) {
		return splice.Owned
	}
	return splice.Foreign
}

// claimForeign owns the stamps, and lets go of entries of others where removable reports true.
func claimForeign(removable func(key string) bool) func(key string) splice.Claim {
	return func(key string) splice.Claim {
		if c := claim(key); c == splice.Owned || !removable(key) {
			return c
		}
		return splice.Removable
	}
}
