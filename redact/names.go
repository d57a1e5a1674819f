package redact

import (
	"slices"
	"strings"
	"unicode"
)

// IsSecretName reports whether a name reads like that of a secret value, and not of where one is, such as
// "existingSecret", "passwordFile" or "tokenURL".
func IsSecretName(name string) bool {
	plain := plainName(name)
	isSecret := containsAny(plain, valueWords) || containsAny(plain, secretWords) || hasShortWord(name, plain) ||
		isCredentials(name)
	return isSecret && !isPlaceName(name, plain) && !strings.Contains(plain, "existingsecret") && !isKeyName(plain) &&
		!strings.Contains(plain, "nonsecret")
}

// isValueName reports whether a name is that of a secret value wherever it stands. Others that IsSecretName reports,
// such as "secret" or "credentials", name objects, too. Checksums hold no secret.
func isValueName(name string) bool {
	plain := strings.TrimRight(plainName(name), "0123456789")
	return (slices.ContainsFunc(valueWords, func(word string) bool { return strings.HasSuffix(plain, word) }) ||
		hasShortWord(name, plain)) && !isPlaceName(name, plain) && !containsAny(plain, checksumWords)
}

// isListName reports whether a name is that of several secret values.
func isListName(name string) bool {
	one, is := strings.CutSuffix(strings.ToLower(name), "s")
	return is && isValueName(one)
}

// isSecretNote reports whether an annotation holds a secret value.
func isSecretNote(name string) bool {
	return isValueName(name[strings.LastIndexByte(name, '/')+1:]) && isValueName(name)
}

// isKeyName reports whether a name is that of a key of a Secret.
func isKeyName(plain string) bool {
	return strings.HasSuffix(plain, "passwordkey") || strings.HasSuffix(plain, "tokenkey")
}

// isPlaceName reports whether the last word of a name is that of a place, or of what is known of a value. The id of
// a secret is one half of it (an AppRole's, for example), and short words count only where they stand by themselves.
func isPlaceName(name, plain string) bool {
	if strings.HasSuffix(plain, "secretid") || strings.HasSuffix(plain, "accesskeyid") {
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

// hasShortWord reports whether a part of a name is one of the short words for a secret, or the name ends in "pass" or
// "pwd" as "dbpass" does.
func hasShortWord(name, plain string) bool {
	if strings.HasSuffix(name, "_PAT") || isLicense(name) || isKeyOfTLS(plain) || // a personal access token
		isInCapitals(name) {
		return true
	}
	if !containsAny(plain, shortStems) {
		return false
	}
	if isTokenName(name, plain) {
		return true
	}
	if plain == "auth" || strings.HasSuffix(name, "_AUTH") {
		return true
	}
	if containsAny(plain, passWords) {
		return false
	}
	return slices.ContainsFunc(nameParts(name), func(part string) bool {
		part = strings.TrimRight(part, "0123456789")
		return part == "pw" || part == "dsn" || part == "psk" || part == "bindpw" || part == "rootpw" ||
			strings.HasSuffix(part, "pwd") || strings.HasSuffix(part, "pass")
	})
}

// isTokenName reports whether the last word of a name is that of a token, and not of a part of it, such as its issuer.
func isTokenName(name, plain string) bool {
	return strings.HasSuffix(plain, "jwt") && slices.Contains(nameParts(name), "jwt")
}

// isCredentials reports whether a name ends in the short form of credentials.
func isCredentials(name string) bool {
	last := lastPart(name)
	return last == "creds" || last == "cred"
}

// isInCapitals reports whether a name is that of a variable whose last word is that of a secret only there: elsewhere
// such words are switches or algorithms.
func isInCapitals(name string) bool {
	return strings.ToUpper(name) == name && slices.Contains([]string{"bearer", "hmac", "signing"}, lastPart(name))
}

// mayNameSecret reports whether IsSecretName does, or isKeyVariable.
func mayNameSecret(name string) bool { return IsSecretName(name) || isKeyVariable(name) }

// isSecretUnder reports whether what stands under a name is a secret by that name, or is the key of a variable.
func isSecretUnder(name string, v any) bool {
	text, _ := v.(string)
	return IsSecretName(name) || isKeyVariable(name) && isSeed(text)
}

// isKeyVariable reports whether a name is that of a variable with some key: what looks random under it is secret.
func isKeyVariable(name string) bool {
	if strings.ToUpper(name) != name || !strings.Contains(name, "KEY") {
		return false
	}
	parts := nameParts(name)
	return parts[len(parts)-1] == "key" && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "public" || part == "publishable" || part == "site" || part == "cache"
	})
}

func lastPart(name string) string {
	parts := nameParts(name)
	return parts[len(parts)-1]
}

// nameParts returns the words of a name in lower case: dbPass, DB_PASS and db-pass have two.
func nameParts(name string) []string {
	var out []string
	start, wasLower := 0, false
	for i, r := range name {
		switch isSeparator := strings.ContainsRune("-_. ", r); {
		case isSeparator, wasLower && unicode.IsUpper(r):
			out = append(out, strings.ToLower(name[start:i]))
			if start = i; isSeparator {
				start++
			}
		}
		wasLower = unicode.IsLower(r)
	}
	return append(out, strings.ToLower(name[start:]))
}

func plainName(name string) string { return separators.Replace(strings.ToLower(name)) }

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// valueWords name values, and secretWords values or the objects that hold them.
var (
	valueWords = []string{
		"password", "passwd", "passphrase", "passcode", "token", "apikey", "accesskey", "privatekey", "authorization",
		"connectionstring", "encryptionkey", "signingkey", "masterkey", "authkey", "accountkey", "sharedkey",
		"clientsecret", "sharedsecret", "httpheadervalue", "licensekey", "servicekey", "routingkey",
		"sessionkey", "jwtkey", "hmackey",
		"accesskeyid",
	}
	secretWords = []string{"secret", "credential", "cookie"}
	shortStems  = []string{"pass", "pw", "dsn", "auth", "psk", "jwt"} // no short word is without one
)

// passWords have "pass" in them and name no secret.
var passWords = []string{"bypass", "compass", "passthrough", "passthru"}

var checksumWords = []string{"checksum", "hash/", "sha256", "digest"}

var placeWords = []string{
	"name", "names", "ref", "refs", "file", "files", "path", "dir", "url", "uri", "endpoint", "host", "issuer", "audience",
	"pullsecrets", "enabled", "type", "policy", "provider", "store", "namespace", "version", "format",
	"ttl", "expiry", "expiration", "duration", "timeout", "interval", "seconds", "minutes", "hours", "days", "length",
	"size", "count", "limit", "threshold", "mode", "helpers", "reload", "id", "from", "annotations", "labels", "domain",
	"samesite", "secure", "httponly", "time", "domains", "always", "passwordencryption",
}
