package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// HideInText returns a text with hide's answer instead of each secret that is written in it: what follows a name that
// reads like a secret's (db.password=, "apiKey":, --token, <password>), the user of a URL, the password of a data
// source, private keys, and manifests of Secrets.
func HideInText(text string, hide func(value any) string) string {
	text = hideOperations(hideDocuments(text, hide), hide)
	if strings.Contains(text, "PRIVATE KEY-----") {
		text = hideMatches(privateKey(), text, hide, func(string, string) bool { return true })
	}
	text = hideUsers(text, hide)
	text = hideTokens(hideCommands(hideForms(hideFlags(text, hide), hide), hide), hide)
	if !hasSecretWord(text) {
		return text
	}
	text = hideMatches(listOfName(), text, hide, isList)
	text = hideAssignments(text, hide)
	text = hideElements(hideTableKeys(hideBlocks(text, hide), hide), hide)
	text = hideMatches(variableOfName(), hideLines(text, hide), hide, isNamed)
	text = hideMatches(pairOfName(), text, hide, func(name, value string) bool {
		isDirective := strings.HasSuffix(value, ";") || strings.Contains(value, "://") // of nginx
		return isNamed(name, value) && looksLikeKey(value) && !isDirective
	})
	text = hideMatches(flagOfName(), text, hide, isNamed)
	return hideWords(text, hide)
}

// InMessage returns a message, such as an error of a template, with the mask instead of each secret that shows by its
// form alone: the user of a URL, the password of a data source, and tokens. Names in a message are followed by words.
func InMessage(text string) string {
	mask := func(any) string { return Mask }
	return hideTokens(hideUsers(text, mask), mask)
}

// hideUsers hides users of URLs and passwords of data sources.
func hideUsers(text string, hide func(any) string) string {
	if !strings.Contains(text, "@") || !strings.Contains(text, ":") {
		return text
	}
	text = hideMatches(userOfSource(), text, hide, isPassword)
	if strings.Contains(text, "://") {
		text = hideMatches(userOfURL(), text, hide, isCredential)
	}
	return text
}

// Each pattern has two groups: a name, and the value that is hidden.
var (
	privateKey = pattern(`-----BEGIN ([A-Z ]*)PRIVATE KEY-----\s*([^-]+)`)
	userOfURL  = pattern(`([A-Za-z][A-Za-z0-9+.-]*)://([^\s/"'<>?#]+)@`)
	// A line of its own, but for what closes a value in JSON and YAML.
	lineOfName = pattern(`(?m)^[ \t-]*(?:export[ \t]+|set[ \t]+)?["']?` + named +
		`["']?[ \t]*(?::=|[:=])[ \t]*["']?([^\s"'|>{\[=][^\n]*?)["']?,?[ \t\r]*$`)
	// A variable of a Dockerfile, of Windows and of fish, with its value behind a blank.
	variableOfName = pattern(`(?m)^[ \t]*(?:ENV|setx?(?:[ \t]+-[a-zA-Z]+)*)[ \t]+([A-Z][A-Z0-9_]*)[ \t]+` +
		`("[^"\n]*"|'[^'\n]*'|[^\s"'=]\S*)`)
	// Two words on a line of their own, as in the files of many servers.
	pairOfName = pattern(`(?m)^[ \t]*` + named + `[ \t]+("[^"\s]+"|'[^'\s]+'|[^\s"'=:>{\[]\S*)[ \t\r]*$`)
	// A list in one pair of brackets.
	listOfName = pattern(named + `\\?["']?[ \t]*:\s*(\[[^\[\]{}]*\])`)
	// A flag of a command with its value behind a blank, or on the next line of a shell.
	flagOfName = pattern(`(?:^|\s)--?` + named + `(?:[ \t]|\\\r?\n)+("[^"]*"|'[^']*'|[^\s"'-][^\s"']*)`)
	// A data source of a driver: the password between the user and the network, the address or the database.
	userOfSource = pattern(`(?:^|[\s"'=,;])([^\s"'=,;:/@()]+):([^\s"']+)@` +
		`(?:[A-Za-z0-9]*\(|/|[A-Za-z0-9.-]+:[0-9]{1,5}(?:[/?\s"']|$))`)
)

const named = `([A-Za-z0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*)`

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// hideMatches hides the second group of each match that counts, by both groups; or the first, where that is called
// value.
func hideMatches(re *regexp.Regexp, text string, hide func(any) string, counts func(name, value string) bool) string {
	var out strings.Builder
	from, name, secret := 0, 2, 4
	if re.SubexpNames()[1] == "value" {
		name, secret = secret, name
	}
	for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[secret], at[secret+1]
		if start == end {
			continue
		}
		start, end = inQuotes(text, start, end)
		if value := text[start:end]; value != "" && counts(text[at[name]:at[name+1]], value) {
			out.WriteString(text[from:start])
			out.WriteString(hide(value))
			from = end
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// inQuotes returns where the value that a part of a text has between quotes is; the part where it has none.
func inQuotes(text string, start, end int) (from, to int) {
	if end-start > 1 && strings.IndexByte(`"'`, text[start]) >= 0 && text[end-1] == text[start] {
		return start + 1, end - 1
	}
	return start, end
}

// hideLines hides the values of lines that have one under a secret's name, up to where an assignment of a shell ends.
func hideLines(text string, hide func(any) string) string {
	var out strings.Builder
	from := 0
	for _, at := range lineOfName().FindAllStringSubmatchIndex(text, -1) {
		name, start, end := text[at[2]:at[3]], at[4], at[5]
		if !isNamed(name, text[start:end]) {
			continue
		}
		switch n := closingQuote(text[start:end], text[start-1]); {
		case n > 0:
			end = start + n
		case text[start-1] == '=' || text[start-2] == '=':
			end = assignmentEnd(text, name, start, end)
		}
		if isNamed(name, text[start:end]) {
			out.WriteString(text[from:start])
			out.WriteString(hide(text[start:end]))
			from = end
		}
	}
	if from == 0 {
		return text
	}
	return out.String() + text[from:]
}

// assignmentEnd returns where the value of an assignment in a shell ends, of which the name is in capitals: at its
// quote where more follows, or at a semicolon.
func assignmentEnd(text, name string, start, end int) int {
	value, sign := text[start:end], text[start-1]
	if name != strings.ToUpper(name) {
		return end
	}
	if sign == '=' {
		if n := strings.IndexAny(value, "; \t\"'"); n > 0 && value[n] == ';' && (n+1 == len(value) || value[n+1] == ' ') {
			return start + n
		}
		return end
	}
	if n := strings.IndexByte(value, sign); n > 0 && n+1 < len(value) && strings.IndexByte(" ;\t", value[n+1]) >= 0 {
		return start + n
	}
	return end
}

// closingQuote returns the length of a value that began with a quote, up to that quote, where a comment or the next
// line of a command follows it; else 0.
func closingQuote(value string, quote byte) int {
	if quote != '"' && quote != '\'' {
		return 0
	}
	n := strings.IndexByte(value, quote)
	if n <= 0 {
		return 0
	}
	if rest := strings.TrimLeft(value[n+1:], " \t"); rest == `\` || strings.HasPrefix(rest, "#") {
		return n
	}
	return 0
}

// isCredential reports whether the user of a URL is secret or has a password. With SSH, databases and buckets it is a
// name.
func isCredential(scheme, user string) bool {
	name, password, hasPassword := strings.Cut(user, ":")
	if isVariablePart(name) && isVariablePart(password) {
		return false
	}
	return user != "git" && (hasPassword || !hasNamedUsers().MatchString(scheme))
}

// isVariablePart reports whether the user or the password of a URL is a variable, or is not there.
func isVariablePart(part string) bool { return part == "" || part[0] == '$' && isPlain(part) }

var hasNamedUsers = pattern(`ssh|^(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|amqps?|s?ftp|ldaps?|s3)$`)

// isPassword reports whether what is behind the user of a data source is a password. A URL has a user of its own.
func isPassword(_, value string) bool { return !strings.HasPrefix(value, "//") }

// IsSecret reports whether a value is that of a secret by its name, and no such thing as a switch or a reference.
func IsSecret(name, value string) bool { return isNamed(name, value) }

// isNamed reports whether a value is that of a secret by its name, and not plain.
func isNamed(name, value string) bool {
	isSecret := IsSecretName(name) && !isPlainFor(name, value) && !isBegin().MatchString(value)
	return isSecret || isKeyVariable(name) && isSeed(value)
}

// isList reports whether a list has several secrets by its name.
func isList(name, list string) bool {
	return isListName(name) && strings.ContainsAny(list, letters+"123456789") && !strings.Contains(list, "$")
}

// hasSecretWord reports whether a text may hold a name that reads like a secret's, with a value. Most hold none.
func hasSecretWord(text string) bool {
	if len(text) < len("pw=x") || !strings.ContainsAny(text, "=: >") {
		return false
	}
	lower := strings.ToLower(text)
	return slices.ContainsFunc(secretStems, func(stem string) bool { return strings.Contains(lower, stem) })
}

// secretStems has a part of each name that IsSecretName reports, one that has no separator in it.
var secretStems = []string{
	"pass", "secret", "token", "key", "cred", "auth", "cookie", "connection", "headervalue", "pw", "dsn", "_pat",
	"stringdata", "license", "psk", "jwt", "bearer", "hmac", "signing",
}
