package redact

import (
	"regexp"
	"slices"
	"strings"
)

// word is a value of a command, between quotes or up to a blank.
const word = `("[^"\n]*"|'[^'\n]*'|[^\s"'|;&<>()-][^\s"'|;&<>()]*)`

const before, options = `(?:^|[\s/"'(\x60])`, `[ \t](?:[^\n|;&]*?[ \t])?`

// commands have the secrets that programs take by the place or a short flag.
var commands = []form{
	{[]string{"login"}, pattern(before + `(docker|podman|nerdctl|buildah|skopeo|oras|helm|crane|az|oc)` + options +
		`login` + options + `-p[ \t=]*` + word)},
	{[]string{"sqlcmd", "bcp", "osql"}, pattern(before + `(sqlcmd|bcp|osql)` + options + `-P[ \t]*` + word)},
	{[]string{"ldap"}, pattern(before + `(ldap[a-z]+)` + options + `-w[ \t]*` + word)},
	{[]string{"htpasswd"}, pattern(before + `(htpasswd)` + options + `-[A-Za-z]*b[A-Za-z]*[ \t]+` +
		`(?:-[A-Za-z]+[ \t]+)*(?:[^\s|;&<>-][^\s|;&<>]*[ \t]+){1,2}` + word)},
	{[]string{"openssl"}, pattern(before + `(openssl)` + options + `(?:-[kK][ \t]+|-pass(?:in|out)?[ \t]+["']?pass:)` +
		word)},
	{[]string{"vault login"}, pattern(before + `(vault)[ \t]+login[ \t]+(?:-\S+[ \t]+)*` +
		`([^\s"'|;&<>()=-][^\s"'|;&<>()=]*)` +
		`(?:[\s"'|;&<>()]|$)`)},
	{[]string{"jdbc:oracle"}, pattern(`jdbc:oracle:[a-z0-9]+:([^\s/@"':]+)/([^\s"'@]+)@`)},
	{[]string{"--user="}, pattern(`(?:^|\s)--user=["']?([^\s"':/]+):([^\s"']+)`)},
}

// hideCommands hides what programs take as a secret, and values of secrets in the language of web servers.
func hideCommands(text string, hide func(any) string) string {
	for i := range commands {
		if commands[i].mayBeIn(text) {
			text = hideMatches(commands[i].secret(), text, hide, isCommandSecret)
		}
	}
	if strings.Contains(text, "--from-literal") && strings.Contains(text, "secret") {
		text = hideLiterals(text, hide)
	}
	if strings.Contains(text, "_header") || strings.Contains(text, "_param") || strings.Contains(text, "set $") {
		text = hideMatches(valueOfServer(), text, hide, func(name, value string) bool {
			return isNamed(name, value) && !strings.Contains(value, "$") && !strings.EqualFold(name, "authorization")
		})
	}
	if strings.Contains(text, "{") && containsAny(text, []string{"value", "inline"}) {
		text = hideMatches(textInTable(), hideMatches(valueInTable(), text, hide, isNamed), hide, isNamed)
	}
	return text
}

var (
	valueOfServer = pattern(`(?:(?:proxy_set_header|add_header|grpc_set_header|fastcgi_param|uwsgi_param)[ \t]+|` +
		`(?:^|[\s;{])set[ \t]+\$)` + named + `[ \t]+(?:\\["'])?("[^"\n\\]*"|'[^'\n\\]*'|[^\s"'\\;]+)`)
	valueInTable = pattern(inTable + `([^\s"'\\{}\[\],]+)`)
	textInTable  = pattern(inTable + `\\?["']([^"'\\\n]+)`)
)

// inTable is the name of a secret, and of a field of the table below it, in one line.
const inTable = `\\?["']?` + named + `\\?["']?\s*:\s*\{[^{}]*?\b(?:value|inline_?[sS]tring|inline_?[bB]ytes)\\?["']?\s*:\s*`

var (
	creation = pattern(`create[ \t]+secret[ \t](?:"[^"]*"|'[^']*'|\\\r?\n|[^\n|;&"'\\]|\\[^\n])*`)
	literal  = pattern(`--from-literal(?:=|[ \t]+)["']?([^\s="']+)=("[^"]*"|'[^']*'|[^\s"'\\]+)`)
	// literals between quotes, which may have blanks in them
	singly = pattern(`(?:--from-literal(?:=|[ \t]+)'|'--from-literal=)([^\s="']+)=([^'\n]+)'`)
	doubly = pattern(`(?:--from-literal(?:=|[ \t]+)"|"--from-literal=)([^\s="']+)=([^"\\\n]+)"`)
)

// hideLiterals hides the values in commands that create a Secret.
func hideLiterals(text string, hide func(any) string) string {
	return creation().ReplaceAllStringFunc(text, func(command string) string {
		var hidden []string // what stands for values between quotes
		remember := func(value any) string {
			hidden = append(hidden, hide(value))
			return hidden[len(hidden)-1]
		}
		for _, quoted := range []func() *regexp.Regexp{singly, doubly} {
			command = hideMatches(quoted(), command, remember, isLiteral)
		}
		return hideMatches(literal(), command, hide, func(name, value string) bool {
			isHidden := slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(h, value) })
			return isLiteral(name, value) && !isHidden
		})
	})
}

// isCommandSecret reports whether a value that follows a program, or a user, is secret: that of a user is no group.
func isCommandSecret(name, value string) bool {
	switch name {
	case "vault":
		return isLiteral(name, value) && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz") != ""
	case value, "system":
		return false
	}
	return isLiteral(name, value) && strings.Trim(name, "0123456789") != ""
}
