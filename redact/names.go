package redact

import (
	"slices"
	"strings"
	"unicode"
)

// IsSecretName reports whether a name reads like that of a secret value, and not of where one is, such as
// "existingSecret", "passwordFile" or "tokenURL".
func IsSecretName(name string) bool {
	plain := separators.Replace(strings.ToLower(name))
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(plain, word) }) &&
		!isPlaceName(name, plain) && !strings.Contains(plain, "existingsecret") && !strings.HasSuffix(plain, "passwordkey")
}

// isPlaceName reports whether the last word of a name is that of a place, or of what is known of a value. The id of
// a secret is one half of it (an AppRole's, for example), and short words count only where they stand by themselves.
func isPlaceName(name, plain string) bool {
	if strings.HasSuffix(plain, "secretid") {
		return false
	}
	last := name[strings.LastIndexAny(name, "-_. ")+1:]
	if i := strings.LastIndexFunc(last, unicode.IsUpper); i > 0 && strings.ToUpper(last) != last {
		last = last[i:]
	}
	const short = 3
	return slices.ContainsFunc(placeWords, func(word string) bool {
		return strings.EqualFold(last, word) || len(word) > short && strings.HasSuffix(plain, word)
	})
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
	"authorization", "cookie", "connectionstring", "encryptionkey", "signingkey", "masterkey",
}

var placeWords = []string{
	"name", "names", "ref", "refs", "file", "files", "path", "dir", "url", "uri", "endpoint", "host", "issuer", "audience",
	"pullsecrets", "enabled", "type", "policy", "provider", "store", "namespace", "version", "format",
	"ttl", "expiry", "expiration", "duration", "timeout", "interval", "seconds", "minutes", "hours", "days", "length",
	"size", "count", "limit", "id", "from", "annotations", "labels", "domain", "samesite", "secure", "httponly",
}
