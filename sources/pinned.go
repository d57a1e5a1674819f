package sources

import "strings"

// IsPinned reports whether a reference itself names a version for good.
func IsPinned(ref *Ref) bool {
	if ref.Version == "" {
		return false
	}
	_, ok := PinnedVersion(*ref)
	return ok
}

// PinnedVersion returns the version that a reference itself names for good, so that nobody has to be asked.
func PinnedVersion(ref Ref) (version string, ok bool) {
	if ref.Find != nil || ref.Version == "" {
		return "", false
	}
	forms := pinnedForms()
	form, known := forms[ref.Store.Provider]
	if !known {
		form = forms[""]
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
		if again, ok := PinnedVersion(pinned); ok && again == version {
			return text, true
		}
	}
	return "", false
}
