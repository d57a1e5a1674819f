// Package versionstest reads the list of what is relied on in each version of Argo CD, for the tests of those who rely.
package versionstest

import (
	_ "embed"
	"slices"
	"strings"
)

// list is written by a test in e2e/argocd/versions from the sources.
//
//go:embed versions.txt
var list string

// Fact is a statement about a version, such as "helm 4.2.1", and the later ones until it is taken back.
type Fact struct{ Version, Sign, Text string }

// All returns the list, in the order of versions.
func All() []Fact {
	var out []Fact
	for line := range strings.Lines(list) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if words[0] != "#" {
			out = append(out, Fact{words[0], words[1], words[2]})
		}
	}
	return out
}

// Newer returns what later versions than the first have, and it has not.
func Newer() []Fact {
	all := All()
	first := all[0].Version
	return slices.DeleteFunc(all, func(f Fact) bool { return f.Version == first || f.Sign != "+" })
}

// ByVersion returns all that holds for each version.
func ByVersion() map[string][]string {
	out, now := map[string][]string{}, []string(nil)
	for _, f := range All() {
		switch f.Sign {
		case "+":
			now = append(now, f.Text)
		case "-":
			now = slices.DeleteFunc(now, func(text string) bool { return text == f.Text })
		}
		out[f.Version] = slices.Clone(now)
	}
	return out
}
