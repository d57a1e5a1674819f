package redact

import (
	"regexp"
	"slices"
	"strings"
)

// form is a form in which programs write a secret.
type form struct {
	words  []string // a text without these has none; nil where any may
	secret func() *regexp.Regexp
}

var forms = []form{
	{[]string{"basic-auth"}, pattern(`(?:^|\s)--?([a-z-]*basic-auth)(?:=|[ \t]+)["']?[^\s"':]+:([^\s"']+)`)},
	{[]string{"curl"}, pattern(`(?:^|[\s/"'(])(curl)[ \t](?:[^\n|;&]*?[ \t])?(?:-u[ \t]*|--user[ \t=]+)` +
		`["']?[^\s"':/]*:([^\s"']+)`)},
	{[]string{"hooks.slack.com/"}, pattern(`hooks\.slack\.com/(services|workflows|triggers)/([A-Za-z0-9/_-]+)`)},
	{[]string{"uthorization"}, pattern(`(?i)(authorization)\\?["']?[ \t]+\\?["'](?:basic|bearer|token)[ \t]+` +
		`([^\s"'\\]+)`)},
	{[]string{"requirepass", "masterauth"}, pattern(`(?m)^[ \t]*(requirepass|masterauth)[ \t]+["']?([^\s"']+)`)},
	{[]string{"login"}, pattern(`(?:^|\s)(?:machine[ \t]+\S+|default)\s+(login)\s+\S+\s+password\s+(\S+)`)},
}

// hideForms hides what is secret by such a form.
func hideForms(text string, hide func(any) string) string {
	for i := range forms {
		if forms[i].mayBeIn(text) {
			text = hideMatches(forms[i].secret(), text, hide, isLiteral)
		}
	}
	return text
}

func (f *form) mayBeIn(text string) bool {
	return f.words == nil || slices.ContainsFunc(f.words, func(word string) bool { return strings.Contains(text, word) })
}
