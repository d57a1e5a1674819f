package config_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

func TestOnlyNearWordsAreSuggested(t *testing.T) {
	words := []string{"wave", "kapp", "vso", "onepassword", "reloaderArgs"}
	for word, want := range map[string]string{
		"foo":          "", // two of three letters differ from vso
		"name":         "",
		"vos":          "vso",
		"wvae":         "wave",
		"Waves":        "wave",
		"onepasswrod":  "onepassword",
		"reloaderArg":  "reloaderArgs",
		"reloadArgs":   "reloaderArgs",
		"wav":          "wave",
		"kap":          "kapp",
		"v":            "",
		"":             "",
		"strimziKafka": "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := config.Suggest(word, words); got != want {
			t.Errorf("for %q: %q is suggested instead of %q", word, got, want)
		}
	}
}
