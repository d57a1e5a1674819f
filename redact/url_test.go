package redact_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

func TestAnAddressIsShownWithoutCredentials(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/a/b.git":                              "https://example.com/a/b.git",
		"https://" + canary + "@example.com/a":                     "https://example.com/a",
		"https://me:" + canary + "@example.com:8443/a?t=" + canary: "https://example.com:8443/a",
		"https://me:x@" + canary + "@example.com/a#" + canary:      "https://example.com/a",
		"oci://me:" + canary + "@example.com/charts":               "oci://example.com/charts",
		"git@example.com:a/b.git":                                  "example.com:a/b.git",
		canary + "@example.com:a/b.git":                            "example.com:a/b.git",
		"https://me:" + canary + "%zz@example.com/a":               "an address that cannot be parsed",
		"../charts": "../charts",
	} {
		if got := redact.URL(address); got != want {
			t.Errorf("%s: %s", strings.ReplaceAll(address, canary, "*"), got)
		}
	}
}

func TestATextIsShownWithoutTheCredentialsOfItsURLs(t *testing.T) {
	for text, want := range map[string]string{
		"no address at all: me@example.com":                                                                     "no address at all: me@example.com",
		`Get "https://` + canary + `@example.com/a/info/refs?service=x": refused`:                               `Get "https://example.com/a/info/refs": refused`,
		"of git::https://me:" + canary + "@example.com/a//b@v1?t=" + canary + " and http://" + canary + "@one/": "of git::https://example.com/a//b@v1 and http://one/",
		"https://me:x@" + canary + "@example.com":                                                               "https://example.com",
		"https://me:'x?" + canary + "@example.com":                                                              "https://example.com",
		"see https://example.com, or mail@example.com":                                                          "see https://example.com, or mail@example.com",
	} {
		if got := redact.URLs(text); got != want {
			t.Errorf("%s: %s", strings.ReplaceAll(text, canary, "*"), got)
		}
	}
}
