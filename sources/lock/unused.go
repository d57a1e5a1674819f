package lock

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// UnusedFinding reports a lock which has versions of what an application reads, and which is not looked at under its
// settings. It is looked for only where something outside of the manifests is read. Whoever says that the policy is
// spec knows; whoever says nothing may not.
func UnusedFinding(s *config.Settings, read iter.Seq[sources.Ref]) []diag.Finding {
	if s.Asks() {
		return nil
	}
	var file *File
	names := map[string]bool{}
	for ref := range read {
		if file == nil {
			var err error
			if file, err = Nearest(s.Place()); err != nil || file == nil {
				return nil // what is wrong with a lock that may not be ours is reported by those who read it
			}
		}
		if _, name, ok := file.Get(ref); ok {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(names))[0]
	what := first
	if more := len(names) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	f := diag.New(diag.LockUnused, "", bySpec(s)+", so the version here of "+what+" is not looked at")
	if s.Secrets.Source != config.Default {
		f.Severity = diag.Info
	}
	return []diag.Finding{f.At(file.Position(first))}
}

// UntakenFinding reports an application, by its path, for which a lock is written or looked at, and which takes nothing
// from it.
func UntakenFinding(s *config.Settings, path string) []diag.Finding {
	if s.Asks() {
		return nil
	}
	return []diag.Finding{diag.New(diag.LockUnused, "", bySpec(s)).At(diag.Position{File: path})}
}

func bySpec(s *config.Settings) string {
	return "secrets.policy is spec, by " + string(s.Secrets.Source)
}
