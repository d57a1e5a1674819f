package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// source returns the object, or its producer, that a reference of the side leads to.
func (in *inventory) source(r *plan.Reference) *object {
	if r == nil {
		return nil
	}
	if kind, name, made := strings.Cut(r.Source, "/"); made {
		return in.anyGroup(kind, r.Namespace, name)
	}
	return in.find(r.Kind, r.Namespace, r.Name)
}

// scopeChanges returns the keys that only one side reads, where those of both are known.
func scopeChanges(before, now *plan.Reference) []KeyChange {
	if before == nil || now == nil || before.Keys == nil || now.Keys == nil {
		return nil
	}
	var out []KeyChange
	old, current := setOf(before.Keys), setOf(now.Keys)
	for _, key := range now.Keys {
		if !old[key] {
			out = append(out, KeyChange{Key: key, Change: NewlyRead})
		}
	}
	for _, key := range before.Keys {
		if !current[key] {
			out = append(out, KeyChange{Key: key, Change: NoLongerRead})
		}
	}
	return out
}

// inScope returns the keys that changed and that one of the sides reads. Of a producer no keys are known to
// compare one with.
func (c *causes) inScope(before, now *plan.Reference, old, current *object) []KeyChange {
	if old == nil || current == nil || old.Kind != current.Kind {
		return nil
	}
	all := slices.Clone(c.configs.between(old, current))
	if before != nil && before.Keys == nil || now != nil && now.Keys == nil {
		return all
	}
	read := map[string]bool{}
	for _, r := range []*plan.Reference{before, now} {
		if r != nil {
			for _, key := range r.Keys {
				read[key] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(k KeyChange) bool { return !read[k.Key] })
}

// withContext returns changes of keys with those of what the context has, where a reference leads there on both sides.
func withContext(keys []KeyChange, before, now *plan.Reference) []KeyChange {
	if before == nil || now == nil || before.Contents == nil || now.Contents == nil {
		return keys
	}
	named := make(map[string]bool, len(keys))
	for _, k := range keys {
		named[k.Key] = true
	}
	table := func(r *plan.Reference) map[string]any {
		out := make(map[string]any, len(r.Contents))
		for _, c := range r.Contents {
			if !named[c.Key] && c.Key != objects.Anything {
				out[c.Key] = c.Fingerprint
			}
		}
		return out
	}
	return append(keys, changedKeys(table(before), table(now))...)
}

// versionChanges returns the keys that an operator fetches in another version than before, or from another place.
func versionChanges(before, now *plan.Reference) []KeyChange {
	if before == nil || now == nil {
		return nil
	}
	old := sourcesOf(before)
	var out []KeyChange
	for key, s := range sourcesOf(now) {
		was, known := old[key]
		if !known || was.Version == s.Version && was.Remote() == s.Remote() {
			continue
		}
		k := KeyChange{Key: key, Change: Modification, Remote: s.Remote(), From: was.Version, To: s.Version}
		if was.Remote() != s.Remote() {
			k.From, k.To = was.Remote(), s.Remote()
			k.Remote = ""
		}
		out = append(out, k)
	}
	return out
}

// sourcesOf returns the places in stores that a reference's keys come from, by key.
func sourcesOf(r *plan.Reference) map[string]*plan.Source {
	read := setOf(r.Keys)
	out := map[string]*plan.Source{}
	for i := range r.Producers {
		for k := range r.Producers[i].Sources {
			s := &r.Producers[i].Sources[k]
			if r.Keys == nil || read[s.Key] || s.Key == objects.Anything {
				out[s.Key] = s
			}
		}
	}
	return out
}

func setOf(keys []string) map[string]bool {
	out := make(map[string]bool, len(keys))
	for _, key := range keys {
		out[key] = true
	}
	return out
}
