package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// branch is a command of the tree by its name, with what builds it. To define all flags of all commands takes a
// millisecond and a quarter of the memory of an idle run, so that a run builds the command that it is about.
type branch struct {
	name  string
	build func(*program) *cobra.Command
}

// branches are the commands below the root, but for those that look at all of them.
func branches() []branch {
	return []branch{
		{"render", newRender}, {"stamp", newStamp}, {"unstamp", newUnstamp}, {"explain", newExplain}, {"diff", newDiff},
		{"report", newReport}, {"graph", newGraph}, {"check", newCheck}, {"apps", newApps}, {"cache", newCache},
		{"config", newConfig}, {"hash-key", newHashKey}, {"lock", newLock}, {"restart", newRestart}, {"adopt", newAdopt},
		{"migrate", newMigrate}, {"approve", newApprove}, {"protect", newProtect}, {"argocd", newArgocd}, {"flux", newFlux},
		{"fleet", newFleet}, {"version", newVersion}, {"fn", newFn}, {"verify", newVerify}, {workerCommand, newWorker},
	}
}

// grow adds the one command that the next word of the command line names, and all of them where it names none, as
// for help, for completion and for a word that is misspelt.
func (p *program) grow(c *cobra.Command, all []branch) {
	named := func(b branch) bool { return len(p.words) > 0 && b.name == p.words[0] }
	if at := slices.IndexFunc(all, named); at >= 0 {
		all, p.words = all[at:at+1], p.words[1:]
	} else {
		p.words = nil
	}
	for _, b := range all {
		c.AddCommand(b.build(p))
	}
}

// wordsOf returns the arguments that may name commands: in front of these stand only flags without a value.
func wordsOf(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
}
