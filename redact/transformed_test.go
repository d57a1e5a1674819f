package redact_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

func TestWhatIsMadeOfValuesIsHidden(t *testing.T) {
	v := redact.NewValues("hunter3-Secret?", `quo"ted\line`, "abcd", "postgresql-pass")
	isPublic := func(part string) bool { return strings.Contains("templates/postgresql-service.yaml", part) }
	for text, want := range map[string]string{
		"is hunter3-Secret?":                    "is [redacted]",
		"is HUNTER3-SECRET? x":                  "is [redacted] x",
		"is Hunter3-sec":                        "is [redacted]",
		"is nter3-Secr.":                        "is [redacted].",
		"is hunter3, HUNT ter3":                 "is [redacted], [redacted] [redacted]",
		"is hun":                                "is hun", // too short a part to be told from a word
		"is xhunter3":                           "is xhunter3",
		"is aHVudGVyMw==":                       "is [redacted]", // hunter3
		"is hunting":                            "is hunting",
		"bad aHVudGVyMy1TZWNyZXQ/!":             "bad [redacted]!",
		"bad aHVudGVyMy1TZWNyZXQ_!":             "bad [redacted]!",
		"bad aHVudGVyMy1TZW!":                   "bad [redacted]!", // a part of it
		"xaHVudGVyMy1TZWNyZXQ/":                 "[redacted]",
		"dXNlcjpIVU5URVIzLVNFQ1JFVD8=":          "[redacted]", // user:HUNTER3-SECRET?
		"YUhWdWRHVnlNeTFUWldOeVpYUS8=":          "[redacted]", // base64 twice
		"68756e746572332d5365637265743f":        "[redacted]",
		"sha256-68756E746572332D5365637265743F": "sha256-[redacted]",
		"NB2W45DFOIZS2U3FMNZGK5B7":              "[redacted]",
		"hunter3-Secret%3F":                     "[redacted]",
		`map[a:"quo\"ted\\line"]`:               `map[a:"[redacted]"]`,
		"ABCD abcde YWJjZA==":                   "[redacted] abcde [redacted]",
		"sum 17002877d5032273ebf8479ae4134d0317724f7f8cfc1c62ac898599826bcdcf": "sum [redacted]",
		"sum c10e7f5f018545d3aab2d739c092225191234e9b":                         "sum [redacted]",
		"web/templates/postgresql-service.yaml":                                "web/templates/postgresql-service.yaml",
		"a word that is its own":                                               "a word that is its own",
		"":                                                                     "",
	} {
		if got := v.InMade(text, isPublic); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	var none *redact.Values
	if none.InMade("abcd", isPublic) != "abcd" {
		t.Error("none is not none")
	}
}

func TestALongTextTakesNoLongTime(t *testing.T) {
	v := redact.NewValues(strings.Repeat("0123456789abcdef", 4<<10), "hunter3-Secret?")
	text := strings.Repeat("aHVudGVy ABCDEF0123 some/path/of/a/file-name.yaml\n", 2<<10)
	if got := v.InMade(text+"HUNTER3-SECRET?", func(string) bool { return true }); !strings.HasPrefix(got, "aHVudGVy") {
		t.Error(got[:100])
	}
}
