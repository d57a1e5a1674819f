package redact

import "strings"

// isPlain reports whether a value shows by its form that it is no secret, whatever it is called: a switch, a reference
// to a variable or to what another program fills in, the path of a file, or a comment.
func isPlain(value string) bool {
	value = strings.TrimSpace(value)
	switch strings.ToLower(value) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "~", "0", "1", "none", "nil", "<":
		return true
	}
	if scheme, of, ok := strings.Cut(value, " "); ok && isScheme(scheme) {
		return isPlain(of)
	}
	if value == "#" || strings.HasPrefix(value, "# ") || isTag().MatchString(value) {
		return true
	}
	if isVariable().MatchString(value) || isAction().MatchString(value) || isFilePath().MatchString(value) {
		return true
	}
	name, is := strings.CutPrefix(value, "$") // of a variable of a shell, or of a key of a Secret of Argo CD
	return is && isShellName().MatchString(name) &&
		(IsSecretName(name) || strings.ToUpper(name) == name && strings.Contains(name, "_"))
}

var (
	// $(A), ${A}, and parameters of Tekton.
	isVariable = pattern(`^\$(?:\([A-Za-z0-9_.-]+\)|\{[A-Za-z0-9_.]+\})$`)
	// A tag of YAML with what begins a block, or one of programs that look a name up.
	isTag = pattern(`^(?:!![a-z]+(?:[ \t]+[|>][-+0-9]*)?|!(?:secret|env_var|env)(?:[ \t]+[A-Za-z0-9_.-]+)?)$`)
	// An action of a template, placeholders, what a command prints, and what a function returns.
	isAction = pattern(`^(?:\{\{[^{}"'` + "`" + `]+\}\}|<(?:path|secret):[^<>]+>|<[A-Z][A-Za-z]*(?: [A-Za-z]+)+>|` +
		`\$\([ \t]*(?:(?:cat|mktemp|openssl|curl|oc|kubectl|vault|aws|jq|base64)(?:[ \t].*)?|echo(?:[ \t]+"?\$.*)?)?|` +
		"`(?:oc|kubectl|vault|cat|openssl)(?:[ \t].*)?|" +
		`(?:[a-z]{3,}\.)+[A-Za-z_]{3,}\(.*|[a-z]{2,}(?:_[a-z]{2,})+\([^"']*)$`)
	// A word after the first slash that no encoding happens to begin with.
	isFilePath = pattern(`^/(?:etc|var|run|opt|tmp|mnt|usr|home|root|data|app|config|secrets?|credentials|certs)` +
		`(?:/[A-Za-z0-9._-]+)+/?$`)
	isShellName = pattern(`^[A-Za-z][A-Za-z0-9]*(?:[-_.:][A-Za-z][A-Za-z0-9]*)+$|^[A-Z]+$`)
)

// isObjectName reports whether what stands under the name of a secret is the name of an object, such as
// "oauth2-proxy-client-secret". Names of values are followed by values.
func isObjectName(name, value string) bool {
	return !isValueName(name) && isNameOfSecret().MatchString(value)
}

var isNameOfSecret = pattern(`^[a-z0-9]+(?:-[a-z0-9]+)+-(?:secrets?|credentials?|creds?|tls|keystore|truststore)$`)

// isImage reports whether a field holds the name of an image, of which a tag or digest follows the colon.
func isImage(field, value string) bool { return field == "image" && isImageName().MatchString(value) }

var isImageName = pattern(`^[a-z0-9][a-z0-9._-]*(?::[0-9]+)?(?:/[a-z0-9._-]+)+(?::[A-Za-z0-9._-]+)?(?:@sha256:[0-9a-f]+)?$`)

// isHostOrPlaceholder reports whether the colon behind a name that ends at a position of a text is followed by a port,
// or is that of a placeholder, as in <secret:name>.
func isHostOrPlaceholder(text string, at int, name string) bool {
	start := at - len(name)
	if text[at] != ':' || start < 0 || text[start:at] != name {
		return false
	}
	before := byte(0)
	if start > 0 {
		before = text[start-1]
	}
	if before == '<' && name == "secret" && strings.IndexByte(text[at:], '>') > 0 {
		return true
	}
	return (before == '/' || strings.HasSuffix(name, ".local") || strings.HasSuffix(name, ".svc")) &&
		isPort().MatchString(text[at+1:])
}

var isPort = pattern(`^[0-9]{2,5}(?:[/\s"'?,]|$)`)

// isScript reports whether a key of a ConfigMap is the file of a script, in which names of secrets are words.
func isScript(key string) bool {
	for _, ending := range []string{".sh", ".bash", ".py", ".pl", ".rb", ".lua"} {
		if strings.HasSuffix(key, ending) {
			return true
		}
	}
	return false
}

// isSeed reports whether a value looks like the random bytes of a key.
func isSeed(value string) bool {
	const least = 16
	if text, is := strings.CutPrefix(value, "base64:"); is {
		return len(text) >= least
	}
	return looksRandom(value) && !isVariableName().MatchString(value) && !strings.ContainsAny(value, "$:{(")
}

// isScheme reports whether a word is a scheme of authorization.
func isScheme(word string) bool {
	switch strings.ToLower(word) {
	case "bearer", "basic", "token":
		return true
	}
	return false
}

// looksRandom reports whether a text is long and a mix of letters and digits, as generated values are.
func looksRandom(text string) bool {
	const least = 16
	return len(text) >= least && strings.ContainsAny(text, "0123456789") &&
		strings.ContainsAny(text, letters) && !strings.ContainsAny(text, "-. /")
}

// isMixed reports whether a text has letters and digits and is not short, as passwords are. Names with a version or a
// number at their end are short or have a separator.
func isMixed(text string) bool {
	const least = 7
	return len(text) >= least && strings.ContainsAny(text, "0123456789") && strings.ContainsAny(text, letters) &&
		!strings.ContainsAny(text, " {}")
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isMixedCase reports whether a text is long and has letters of both cases.
func isMixedCase(text string) bool {
	const least = 12
	return len(text) >= least && !strings.ContainsAny(text, " {}$") && strings.ContainsAny(text, letters[:26]) &&
		strings.ContainsAny(text, letters[26:])
}
