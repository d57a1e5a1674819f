package diff

import (
	"slices"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/lock"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// rotation is a Secret of which an operator fetches other versions than before.
type rotation struct {
	read *plan.Reference // of a workload that reads it
	keys []KeyChange
}

// rotations returns what operators fetch in other versions for workloads.
func rotations(pairs []pair, prefixes prefixes) (out []*rotation) {
	known := map[[3]string]*rotation{}
	for _, p := range pairs {
		if p.old.workload == nil || p.now.workload == nil {
			continue
		}
		before := prefixes.references(p.old)
		for name, r := range prefixes.references(p.now) {
			keys := rotatedKeys(before[name], r)
			if len(keys) == 0 {
				continue
			}
			name := [3]string{r.Kind, r.Namespace, r.Name}
			if known[name] == nil {
				known[name] = &rotation{read: r}
				out = append(out, known[name])
			}
			known[name].keys = append(known[name].keys, keys...)
		}
	}
	for _, r := range out {
		slices.SortFunc(r.keys, compareKeys)
		r.keys = slices.CompactFunc(r.keys, func(a, b KeyChange) bool { return compareKeys(a, b) == 0 })
	}
	return out
}

// rotatedKeys returns the keys that a workload reads and that are fetched in other versions than before.
func rotatedKeys(before, now *plan.Reference) []KeyChange {
	return slices.DeleteFunc(versionChanges(before, now), func(k KeyChange) bool {
		// Else settings have changed, the lock had none, or the producer fetches something else.
		return isUnknown(k.From) || isUnknown(k.To) || k.Remote == ""
	})
}

// rotated reports rotations of what workloads of other applications read, and no stamp of theirs has.
func (n neighbours) rotated(pairs []pair, prefixes prefixes, lock string) (out []Quiet) {
	for _, one := range rotations(pairs, prefixes) {
		r, keys := one.read, one.keys
		if slices.ContainsFunc(keys, func(k KeyChange) bool { return k.Key == objects.Anything }) {
			keys = nil
		}
		for _, reader := range n.readers(r.Kind, r.Namespace, r.Name, keys) {
			p, ok := n.now.Provider(slices.Index(n.names, reader.App), r.Kind, r.Namespace, r.Name)
			if !ok || p.Doubtful != "" || !reader.Unstamped {
				continue
			}
			name := Name{App: p.App, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, File: lock}
			out = append(out, Quiet{Name: name, Keys: one.keys, Reason: ReadElsewhere,
				Reader: reader.Workload.String(), ReaderApp: reader.App,
				Context: n.now.ContextPath(slices.Index(n.names, p.App), reader)})
		}
	}
	return out
}

// isUnknown reports whether the version of a key is not known.
func isUnknown(version string) bool { return version == "" || version == lock.Unknown }
