package appset

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// aLetters is a file name whose match with a pattern of many stars costs exponential time where each star is tried
// again.
var aLetters = "apps/" + strings.Repeat("a", 120)

func TestAPatternOfManyStarsIsMatchedInLinearTime(t *testing.T) {
	patterns := map[string]bool{
		"apps/*a*a*a*a*a*zz":                       false,
		"apps/" + strings.Repeat("*a", 120):        true,
		"apps/" + strings.Repeat("*a", 121):        false,
		strings.Repeat("*?*[a-z]", 40) + "*zz":     false,
		strings.Repeat("*", 1<<16) + "a*a*a*a*a*b": false,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pattern, want := range patterns {
			spec, err := newPathspec(pattern)
			if err != nil {
				t.Error(err)
				continue
			}
			if got, err := spec.matches(t.Context(), aLetters); got != want || err != nil {
				t.Errorf("%.40q: %t, %v; want %t", pattern, got, err, want)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the patterns are not matched within 20 seconds")
	}
}

func TestAMatchEndsWhenItsContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := strings.Repeat("a", restartsPerCheck+2)
	for _, pattern := range []string{"*b", "b"} {
		spec, err := newPathspec(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.matches(ctx, long); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// FuzzGlob compares with the recursive definition of such a pattern, which tries each star at every byte.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{
		"*.json", "a*b?c", "[a-c]*", "[!a-c]?", "[^]]", "[]a]", "[", "*[a", `\*`, `*\`, "**", "", "[a-]", "[z-a]", `[\]]`, "*a*a", "a[",
	} {
		f.Add(pattern, "apps/a.json")
		f.Add(pattern, "aabbcc*]")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 12 || len(text) > 16 {
			t.Skip("too long for the reference")
		}
		got, err := parseGlob(pattern).matches(t.Context(), text)
		if want := globReference(pattern, text); got != want || err != nil {
			t.Errorf("%q matches %q: %t, %v; want %t", pattern, text, got, err, want)
		}
	})
}

func globReference(pattern, text string) bool {
	switch {
	case pattern == "":
		return text == ""
	case pattern[0] == '*':
		return globReference(pattern[1:], text) || text != "" && globReference(pattern, text[1:])
	case text == "":
		return false
	}
	rest, ok := elementReference(pattern, text[0])
	return ok && globReference(rest, text[1:])
}

// elementReference matches the first element of a pattern with a byte, and returns the rest of the pattern.
func elementReference(pattern string, c byte) (rest string, ok bool) {
	switch {
	case pattern[0] == '?':
		return pattern[1:], true
	case pattern[0] == '\\' && len(pattern) > 1:
		return pattern[2:], pattern[1] == c
	case pattern[0] != '[':
		return pattern[1:], pattern[0] == c
	}
	in, negated, found := pattern[1:], false, false
	if in != "" && strings.ContainsRune("!^", rune(in[0])) {
		in, negated = in[1:], true
	}
	for first := true; in != ""; first = false {
		if in[0] == ']' && !first {
			return in[1:], found != negated
		}
		if in[0] == '\\' && len(in) > 1 {
			in = in[1:]
		}
		low, high, length := in[0], in[0], 1
		if len(in) > 2 && in[1] == '-' && in[2] != ']' {
			high, length = in[2], 3
		}
		found = found || low <= c && c <= high
		in = in[length:]
	}
	return "", false // not closed
}
