package patches_test

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
)

func TestAnObjectThatLiesThereOnceGetsItsStampsItself(t *testing.T) {
	const text = "# ours\nkind: Deployment\napiVersion: apps/v1\nmetadata: {name: web} # here\n" +
		"spec:\n  template:\n    metadata: {annotations: {checksum/config: x}}\n"
	s := deployment("web", "v1-1")
	s.Places[0].Remove = []string{"checksum/config"}
	got, ok := patches.InPlace([]byte(text), "x", &s, hashing.Prefix{})
	want := strings.Replace(text, "checksum/config: x", "checksum.rollstamp.dev/configmap.web: v1-1", 1)
	if !ok || string(got) != want {
		t.Errorf("%v\n%s", ok, got)
	}
	if again, ok := patches.InPlace(got, "x", &s, hashing.Prefix{}); !ok || string(again) != want {
		t.Errorf("again: %v\n%s", ok, again)
	}
	for name, other := range map[string]string{
		"twice":             text + "---\n" + text,
		"another group":     strings.Replace(text, "apps/v1", "v1", 1),
		"another namespace": strings.Replace(text, "name: web", "name: web, namespace: x", 1),
		"no place":          strings.Replace(text, "metadata: {annotations", "metadata: [{annotations", 1) + "]",
		"not there":         "kind: X\n",
	} {
		if got, ok := patches.InPlace([]byte(other), "x", &s, hashing.Prefix{}); ok || string(got) != other {
			t.Errorf("%s: %v\n%s", name, ok, got)
		}
	}
}
