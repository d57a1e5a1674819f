// Package order brings the documents of rendered templates into the order in which helm template prints them.
package order

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/releaseutil"
)

// Sorted is what a render prints, in helm's order.
type Sorted struct {
	Manifests, Hooks []Document
	Skipped          []Document // hooks of a kind that helm does not know, which it leaves out
}

// Rules are what differs from one version of Helm to another.
type Rules struct {
	Kinds []string                                  // known kinds, in the order of installation
	Split func(text string, yield func(doc string)) // cuts a rendered template into its documents
}

// Helm3 returns the rules of Helm 3.
func Helm3() Rules { return Rules{Kinds: releaseutil.InstallOrder, Split: Split} }

// Sort orders the documents of the rendered templates, by their names, as releaseutil.SortManifests does: by kind and
// otherwise as they came, hooks apart. Its error is a *ParseError. Helm's own unmarshals every whole document, which is
// nearly all its time.
func Sort(files map[string]string, rules Rules) (*Sorted, error) {
	docs := documents(files, rules)
	if err := readHeads(docs); err != nil {
		return nil, err
	}
	ranks := kindRanks(rules.Kinds)
	out := &Sorted{}
	for _, d := range docs {
		var known bool
		if d.rank, known = ranks[d.Head.Kind]; !known {
			d.rank = len(ranks)
		}
		switch {
		case !d.Head.hook:
			out.Manifests = append(out.Manifests, d)
		case d.Head.unknownEvent():
			out.Skipped = append(out.Skipped, d)
		default:
			out.Hooks = append(out.Hooks, d)
		}
	}
	compare := func(a, b Document) int { return compareKinds(a, b, len(ranks)) }
	slices.SortStableFunc(out.Manifests, compare)
	slices.SortStableFunc(out.Hooks, compare)
	return out, nil
}

// documents returns the documents of all templates but partials, in the order of the templates' paths.
func documents(files map[string]string, rules Rules) []Document {
	var docs []Document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := files[name]; !strings.HasPrefix(path.Base(name), "_") && strings.TrimSpace(text) != "" {
			rules.Split(text, func(doc string) { docs = append(docs, Document{Template: name, Text: doc}) })
		}
	}
	return docs
}

// kindRanks returns the positions of kinds in the order of installation.
func kindRanks(kinds []string) map[string]int {
	ranks := make(map[string]int, len(kinds))
	for i, kind := range kinds {
		ranks[kind] = i
	}
	return ranks
}

// compareKinds puts known kinds first, in Helm's order of installation, and the others after them by name.
func compareKinds(a, b Document, known int) int {
	if a.rank != b.rank || a.rank < known {
		return cmp.Compare(a.rank, b.rank)
	}
	return strings.Compare(a.Head.Kind, b.Head.Kind)
}
