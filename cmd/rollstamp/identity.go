package main

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
)

// identity is KIND/NAME. The kind is taken without regard to case.
type identity struct{ kind, name string }

func (id *identity) String() string { return id.kind + "/" + id.name }

func (id *identity) is(kind, name string) bool {
	return strings.EqualFold(id.kind, kind) && id.name == name
}

// from returns the workload that is meant, or those that refer to the object that is meant, with these references only.
func (id *identity) from(all []plan.Workload) []plan.Workload {
	var out []plan.Workload
	for _, w := range all {
		if id.is(w.Kind, w.Name) {
			out = append(out, w)
			continue
		}
		refs := slices.DeleteFunc(slices.Clone(w.References), func(r plan.Reference) bool { return !id.is(r.Kind, r.Name) })
		if len(refs) > 0 {
			w.References = refs
			out = append(out, w)
		}
	}
	return out
}

// about returns the findings about the object that is meant, and about the references that are shown.
func (id *identity) about(all []diag.Finding, shown []plan.Workload) []diag.Finding {
	keep := map[diag.Finding]bool{}
	for _, w := range shown {
		for _, r := range w.References {
			for _, f := range r.Findings {
				keep[f] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f diag.Finding) bool {
		kind, name, _ := strings.Cut(f.Object, " ")
		return !keep[f] && !id.is(kind, name[strings.LastIndexByte(name, '/')+1:])
	})
}
