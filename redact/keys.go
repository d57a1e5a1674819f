package redact

import (
	"slices"
	"strings"
)

// isPlainFor reports whether a value is no secret under a name that reads like a secret's: it is plain, the name of an
// object, an amount, or one of the words that follow such a name where it means something else.
func isPlainFor(name, value string) bool {
	return isPlain(value) || isObjectName(name, value) || isAmount(name, value) || isOtherMeaning(name, value)
}

// isOtherMeaning reports whether a value is a topic under a routing key, the name of a license or of a file of a key,
// or a token that a script composes.
func isOtherMeaning(name, value string) bool {
	plain := plainName(name)
	value = strings.TrimSpace(value)
	switch {
	case isKeyOfTLS(plain):
		return isKeyFile().MatchString(value)
	case isLicense(name):
		return isLicenseName().MatchString(value)
	case isInCapitals(name):
		return isHashName().MatchString(value)
	case isTokenName(name, plain):
		return strings.HasPrefix(value, "$") // what a script makes of variables
	}
	return strings.HasSuffix(plain, "routingkey") && name != "routing_key" && isTopic().MatchString(value)
}

var (
	isTopic       = pattern(`^[a-z*#]+(?:[._-][a-z*#]+)*$`)
	isLicenseName = pattern(`^(?:[a-z]+|` +
		`(?i:MIT|ISC|Unlicense|Proprietary|(?:Apache|BSD|MPL|CC|EPL|[AL]?GPL)[- 0-9A-Za-z.]*))$`)
	isHashName = pattern(`^(?i:(?:hmac-?)?(?:sha-?[0-9]+|md5))$`)
	isKeyFile  = pattern(`^(?:[a-z]{1,7}|[a-z-]+-key|[A-Za-z0-9_./-]+\.(?:key|pem|crt|p12|pfx|jks)|` +
		`(?:\.{0,2}/)?(?:[a-z0-9_-]+/)+[a-z0-9._-]+)$`)
)

func isLicense(name string) bool { return name == "LICENSE" || strings.HasSuffix(name, "_LICENSE") }

// isKeyOfTLS reports whether a name, without separators, is that of the private key of a connection.
func isKeyOfTLS(plain string) bool {
	return slices.ContainsFunc([]string{"tlskey", "sslkey", "tlskeydata", "sslkeydata", "tlskeypem", "sslkeypem",
		"clientkey", "serverkey", "clientkeydata", "serverkeydata", "clientkeypem", "serverkeypem"},
		func(word string) bool { return strings.HasSuffix(plain, word) })
}

// isKeyTable reports whether a field "key" below a name is a private or secret key.
func isKeyTable(name string) bool {
	lower := strings.ToLower(name)
	return lower == "tls" || lower == "ssl" || lower == "encryption"
}

var keyFields = pattern(`^(?i:key|key[_-]?data|key[_-]?pem|private[_-]?key|server[_-]?key|client[_-]?key)$`)

// keysBelow hides the keys below tls, ssl or encryption. A field "key" beside the name or path of something may select
// a part of that: it is hidden where it looks like a key itself.
func (h hider) keysBelow(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			h.keysBelow(item)
		}
	case map[string]any:
		maySelect := selectsKey(v)
		for field, below := range v {
			text, is := below.(string)
			switch {
			case is && keyFields().MatchString(field) && !isPlainFor("tls.key", text):
				if !maySelect || !strings.EqualFold(field, "key") || looksLikeKey(text) {
					v[field] = h.all(text)
				}
			case !is && !isReferenceName(field):
				h.keysBelow(below)
			}
		}
	}
}

// selectsKey reports whether a table names an object or a file, of which its field "key" may be a part.
func selectsKey(table map[string]any) bool {
	fields := []string{"name", "path", "operator", "secretName", "existingSecret"}
	return slices.ContainsFunc(fields, func(field string) bool {
		text, is := table[field].(string)
		return is && text != ""
	})
}

// looksLikeKey reports whether a text is a mix of letters as a key has it, and not the name of a variable.
func looksLikeKey(text string) bool {
	return (isMixed(text) || isMixedCase(text)) && !isVariableName().MatchString(text)
}

var isVariableName = pattern(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)

const keyNames = `(?i:key|key[_-]?data|key[_-]?pem|private[_-]?key|server[_-]?key|client[_-]?key)`

var (
	keyInFlow = pattern(`\\?["']?\b(?i:tls|ssl|encryption)\\?["']?[ \t]*[:=]\s*\{[^{}]*?\\?["']?\b(` + keyNames +
		`)\\?["']?\s*[:=]\s*\\?(` + quotedOrWord + `)`)
	keyInEscape  = pattern(`\\"(?i:tls|ssl|encryption)\\":\s*\{[^{}]*?\\"(` + keyNames + `)\\":\s*\\"([^"\\]+)`)
	keyInSection = pattern(`(?m)^[ \t]*\[(?:[\w.-]*[. ])?"?(?i:tls|ssl|encryption)"?\][^\[]*?\n[ \t]*(` + keyNames +
		`)[ \t]*=[ \t]*(` + quotedOrWord + `)`)
	keyOfLine = pattern(`(?m)(?:^|[ \t{,])["']?(` + keyNames + `)["']?:[ \t]+(` + quotedOrWord + `)`)
)

var hasName = pattern(`(?:^|[\s{,])name:[ \t]`)

const quotedOrWord = `"[^"\n\\]*"|'[^'\n]*'|[^\s"'\\{}\[\],|>&!#][^\s"'\\{},]*`

// hideTableKeys hides the keys below tls, ssl or encryption in a text.
func hideTableKeys(text string, hide func(any) string) string {
	lower := strings.ToLower(text)
	if !strings.Contains(lower, "key") || !containsAny(lower, []string{"tls", "ssl", "encryption"}) {
		return text
	}
	isKey := func(_, value string) bool { return !isPlainFor("tls.key", value) && value[0] != '$' }
	text = hideMatches(keyInFlow(), text, hide, isKey)
	text = hideMatches(keyInEscape(), text, hide, isKey)
	text = hideMatches(keyInSection(), text, hide, isKey)
	var out strings.Builder
	from := 0
	for at := 0; at < len(text); {
		head := readHead(text[at:lineEnd(text, at)])
		at = lineEnd(text, at)
		if head.isBlock || !isKeyTable(head.name) {
			continue
		}
		start, end := linesBelow(text, at, head)
		if below := text[start:end]; below != "" {
			isReference := hasName().MatchString(below)
			out.WriteString(text[from:start])
			out.WriteString(hideMatches(keyOfLine(), below, hide, func(name, value string) bool {
				return isKey(name, value) && (!isReference || !strings.EqualFold(name, "key") || looksLikeKey(value))
			}))
			from, at = end, max(at, end)
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}
