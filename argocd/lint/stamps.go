package lint

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/refs"
)

// stamps are the workloads with stamps of an Application, or of all that a set makes.
type stamps struct {
	workloads []Workload
	areAll    bool // every source that rollstamp renders was rendered
}

// stamped returns what has stamps in what was seen of the sources that rollstamp renders.
func (l *Looked) stamped(ours [][]Seen) stamps {
	out := stamps{areAll: len(l.Unjudged) == 0}
	for _, source := range ours {
		isRendered := false
		for _, s := range source {
			isRendered = isRendered || s.Rendered
			out.areAll = out.areAll && s.Refused == nil && s.Elsewhere == nil
			out.workloads = append(out.workloads, s.Stamped...)
		}
		out.areAll = out.areAll && isRendered
	}
	return out
}

// stampedBy is stamped for one of the Applications that a set makes.
func (l *Looked) stampedBy(name string, ours [][]Seen) stamps {
	own := make([][]Seen, len(ours))
	for i, source := range ours {
		own[i] = slices.DeleteFunc(slices.Clone(source), func(s Seen) bool { return s.Of != name })
	}
	return l.stamped(own)
}

// fit is whether a rule fits a workload with stamps.
type fit uint8

const (
	fitsUnknown fit = iota // not all is rendered
	fitsSome
	fitsNone
)

// fitting returns whether a rule of ignoreDifferences fits a workload: its group and kind are patterns, its name and
// namespace are not.
func (s stamps) fitting(rule *yaml.Node) fit {
	group, kind := get(rule, "group").Value, get(rule, "kind").Value
	name, namespace := get(rule, "name").Value, get(rule, "namespace").Value
	for _, w := range s.workloads {
		isKind := slices.ContainsFunc(refs.Kinds(), func(k refs.Kind) bool {
			return k.Kind == w.Kind && isOfKind(k, group, kind)
		})
		if isKind && (name == "" || name == w.Name) &&
			(namespace == "" || w.Namespace == "" || namespace == w.Namespace) {
			return fitsSome
		}
	}
	if s.areAll && !isFilledIn(name+namespace+group+kind) {
		return fitsNone
	}
	return fitsUnknown
}
