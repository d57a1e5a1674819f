package redact

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// URL returns the address of a server, a repository or a chart without its user, query and fragment, which may hold
// credentials.
func URL(address string) string {
	if !strings.Contains(address, "://") {
		return address[strings.LastIndexByte(address, '@')+1:] // user@host:path, of ssh
	}
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be parsed"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// inText is a URL in a text: what of it can be shown, with the user between, and the query or fragment after.
var inText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)(?:[^\s/"]*@)?([^\s"'<>?#]*)(?:[?#][^\s"'<>]*)?`)
})

// URLs takes users, queries and fragments out of every URL in a text, such as an error of a library: some hide the
// password only, and a token often stands instead of the user.
func URLs(text string) string { return inText().ReplaceAllString(text, "$1$2") }
