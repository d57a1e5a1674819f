package determinism

import (
	"strings"

	"github.com/rollstamp/rollstamp/splice"
)

// laterNow replaces now in the second render.
const laterNow = "((now.AddDate 3 4 4).Add 45449000000000)"

// moveClock returns a template whose clock is ahead by an amount that changes year, month, day, weekday, hour, minute
// and second, so that formats as coarse as a date come out differently too. What it inserts has no quotes: it may lie
// between some.
func moveClock(text string) string {
	var edits []splice.Edit
	actions(text, func(t token) {
		if t.kind != wordToken {
			return
		}
		switch t.text {
		case "now":
			edits = append(edits, splice.Edit{Start: t.start, End: t.end, Text: laterNow})
		case "ago":
			edits = append(edits, splice.Edit{Start: t.start, End: t.end, Text: "list"})
		}
	})
	return apply(text, edits)
}

// withKey names, for a function that makes an RSA key and a certificate, the one that takes a key as its last argument.
var withKey = map[string]string{
	"genCA": "genCAWithKey", "genSelfSignedCert": "genSelfSignedCertWithKey", "genSignedCert": "genSignedCertWithKey",
}

// quickenKeys returns a template that makes keys for elliptic curves instead of RSA, which takes seconds. The result is
// another key in any case. A template in quotes, and one that fails with such a key, is rendered as it is.
func quickenKeys(text string) string {
	if !strings.Contains(text, "gen") {
		return text
	}
	var edits []splice.Edit
	actions(text, func(t token) {
		if t.kind != wordToken || !t.first {
			return
		}
		const rsa, ecdsa = `"rsa"`, `"ecdsa"`
		if other := withKey[t.text]; other != "" {
			end := commandEnd(text, t.end)
			edits = append(edits, splice.Edit{Start: t.start, End: t.end, Text: other},
				splice.Edit{Start: end, End: end, Text: " (genPrivateKey " + ecdsa + ")"})
		} else if t.text == "genPrivateKey" {
			if at := t.end + strings.Index(text[t.end:], rsa); strings.TrimSpace(text[t.end:max(at, t.end)]) == "" &&
				at > t.end {
				edits = append(edits, splice.Edit{Start: at, End: at + len(rsa), Text: ecdsa})
			}
		}
	})
	return apply(text, edits)
}

// sortKeys returns a template in which what "keys" lists is sorted. The language lists keys in an order that changes
// from render to render, so the sorted one is as good as any, and the same each time.
func sortKeys(text string) string {
	if !strings.Contains(text, "keys") {
		return text
	}
	var edits []splice.Edit
	actions(text, func(t token) {
		if t.kind != wordToken || t.text != "keys" || !t.first {
			return
		}
		end := commandEnd(text, t.end)
		rest, _, _ := strings.Cut(text[end:], "}}")
		if !strings.Contains(rest, "sortAlpha") {
			edits = append(edits, splice.Edit{Start: end, End: end, Text: " | sortAlpha"})
		}
	})
	return apply(text, edits)
}

// apply returns a text with edits in any order.
func apply(text string, edits []splice.Edit) string {
	if len(edits) == 0 {
		return text
	}
	splice.Sort(edits)
	return string(splice.Bytes([]byte(text), edits))
}
