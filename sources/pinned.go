package sources

import (
	"regexp"
	"strings"
	"sync"
)

// fixed are versions that name one content for ever, by provider. Anything else moves: the stages of AWS, the aliases
// of GCP, "latest".
var fixed = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"vault":   regexp.MustCompile(`^[1-9][0-9]*$`),
		"openBao": regexp.MustCompile(`^[1-9][0-9]*$`),
		"aws-sm":  regexp.MustCompile(`^uuid/.+$`),
		"aws-ssm": regexp.MustCompile(`^[1-9][0-9]*$`),
		"gcpsm":   regexp.MustCompile(`^[1-9][0-9]*$`),
		"azurekv": regexp.MustCompile(`^[0-9a-fA-F]{32}$`),
		"":        regexp.MustCompile(`^([1-9][0-9]*|uuid/.+|[0-9a-fA-F]{32})$`), // the store is not in the input, or none that can be asked
		// These have no versions: what is written there chooses nothing, or nothing that stays.
		"kubernetes": nil, "fake": nil, "webhook": nil,
	}
})

// Pinned returns the version that a reference itself names for good, so that nobody has to be asked.
func Pinned(ref Ref) (version string, ok bool) {
	if ref.Find != nil || ref.Version == "" {
		return "", false
	}
	form, known := fixed()[ref.Store.Provider]
	if !known {
		form = fixed()[""]
	}
	if form == nil || !form.MatchString(ref.Version) {
		return "", false
	}
	return strings.TrimPrefix(ref.Version, "uuid/"), true
}

// Pin returns a version as a manifest names it for good, the way back from Pinned. Where nothing is known of the store,
// or its provider takes no versions, there is none.
func Pin(ref Ref, version string) (text string, ok bool) {
	if ref.Store.Provider == "" || ref.Find != nil {
		return "", false
	}
	for _, text := range []string{version, "uuid/" + version} {
		pinned := ref
		pinned.Version = text
		if again, ok := Pinned(pinned); ok && again == version {
			return text, true
		}
	}
	return "", false
}
