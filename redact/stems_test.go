package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestEachSecretWordHasAStem(t *testing.T) {
	for _, word := range slices.Concat(secretWords, valueWords) {
		if !slices.ContainsFunc(secretStems, func(stem string) bool { return strings.Contains(word, stem) }) {
			t.Errorf("%s has none", word)
		}
	}
}
