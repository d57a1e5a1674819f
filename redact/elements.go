package redact

import "strings"

// Elements of XML: the one that is called like a secret, one with such a name in an attribute, and one that follows
// such a name in an element of its own.
var elements = []form{
	{nil, pattern(`<(?:[A-Za-z0-9_-]+:)?` + named + `(?:\s[^<>]*)?>\s*([^<>\s][^<>]*?)\s*</`)},
	{[]string{"<![CDATA["}, pattern(`<(?:[A-Za-z0-9_-]+:)?` + named + `(?:\s[^<>]*)?>\s*<!\[CDATA\[((?s:.*?))\]\]>`)},
	{[]string{"name", "key", "id"}, pattern(`<[A-Za-z][^<>]*?\s(?:name|key|id)\s*=\s*["']` + named +
		`["'][^<>]*>\s*([^<>\s][^<>]*?)\s*</`)},
	{[]string{"</name>", "</key>"}, pattern(`<(?:name|key)>\s*` + named +
		`\s*</(?:name|key)>\s*<(?:value|string)>\s*([^<>\s][^<>]*?)\s*</`)},
}

// attributes has an element in which the value is before its name.
var attributes = pattern(`<[A-Za-z][^<>]*?\s(?i:value)\s*=\s*(?P<value>"[^"<]+"|'[^'<]+')(?:\s[^<>]*?)?` +
	`\s(?i:name|key|id)\s*=\s*["']` + named + `["']`)

// hideElements hides what is secret in XML by the name of its element.
func hideElements(text string, hide func(any) string) string {
	if strings.Contains(text, "<") && strings.Contains(text, ">") {
		text = hideMatches(attributes(), text, hide, isNamed)
	}
	if !strings.Contains(text, "</") {
		return text
	}
	for i := range elements {
		if elements[i].mayBeIn(text) {
			text = hideMatches(elements[i].secret(), text, hide, isNamed)
		}
	}
	return text
}
