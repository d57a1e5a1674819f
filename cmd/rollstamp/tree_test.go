package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
)

// TestARunBuildsTheCommandThatItIsAbout finds each command of the whole tree in a tree that was built for it alone, and
// none of its neighbours there.
func TestARunBuildsTheCommandThatItIsAbout(t *testing.T) {
	tree := func(args ...string) *cobra.Command {
		return newRoot(&program{env: config.Environment()}, args...)
	}
	var names func(*cobra.Command) []string
	names = func(c *cobra.Command) (out []string) {
		for _, sub := range c.Commands() {
			out = append(out, sub.CommandPath())
			out = append(out, names(sub)...)
		}
		return out
	}
	all, forAll := tree(), names(tree("help"))
	if want := names(all); len(want) < 40 || !slices.Equal(forAll, want) {
		t.Fatalf("help has %d commands of %d: %q", len(forAll), len(want), forAll)
	}
	for _, b := range branches() {
		one := tree("-v", b.name)
		c, _, err := one.Find([]string{b.name})
		if err != nil || c.Name() != b.name {
			t.Errorf("%s: found %v, %v", b.name, c, err)
		}
		whole, _, _ := all.Find([]string{b.name})
		if got := names(c); !slices.Equal(got, names(whole)) {
			t.Errorf("%s has %q", b.name, got)
		}
		for _, sub := range whole.Commands() {
			words := []string{b.name, sub.Name()}
			if c, _, err := tree(append(words, "--help")...).Find(words); err != nil || c.Name() != sub.Name() {
				t.Errorf("%s: found %v, %v", sub.CommandPath(), c, err)
			}
		}
	}
	if got := names(tree("argocd", "generate", "apps")); slices.Contains(got, "rollstamp render") ||
		slices.Contains(got, "rollstamp argocd lint") || !slices.Contains(got, "rollstamp argocd generate") {
		t.Errorf("of a run of generate there is %q", got)
	}
}
