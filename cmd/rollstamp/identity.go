package main

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
)

// identity is an object that an argument names. The kind is taken without regard to case, and "" is any namespace.
type identity struct{ kind, namespace, name string }

// parseIdentity reads KIND/NAME or KIND/NAMESPACE/NAME, and reports whether it is one of them.
func parseIdentity(text string) (id identity, ok bool) {
	words := strings.Split(text, "/")
	if len(words) == 3 && words[1] == "" { // as lines of the lock write it where no namespace is known
		words = []string{words[0], words[2]}
	}
	if len(words) != 2 && len(words) != 3 || slices.Contains(words, "") {
		return identity{}, false
	}
	id = identity{kind: kindNamed(words[0]), name: words[len(words)-1]}
	if len(words) == 3 {
		id.namespace = words[1]
	}
	return id, true
}

// kindNamed returns the kind that a word means: kubectl's short names and plurals of those that are named most.
func kindNamed(word string) string {
	switch strings.ToLower(word) {
	case "deploy", "deployments":
		return "Deployment"
	case "sts", "statefulsets":
		return "StatefulSet"
	case "ds", "daemonsets":
		return "DaemonSet"
	case "cm", "configmaps":
		return refs.ConfigMap
	case "secrets":
		return refs.Secret
	}
	return word
}

// String returns the object as the argument writes it.
func (id identity) String() string {
	if id.namespace == "" {
		return id.kind + "/" + id.name
	}
	return id.kind + "/" + id.namespace + "/" + id.name
}

func (id identity) is(kind, namespace, name string) bool {
	return strings.EqualFold(id.kind, kind) && id.name == name && (id.namespace == "" || id.namespace == namespace)
}

// isWorkload reports whether the object is a workload, as lines of the lock name it.
func (id identity) isWorkload(line string) bool {
	return id.is(policy.SplitWorkloadID(line))
}

// isReadBy reports whether a workload refers to the object.
func (id identity) isReadBy(w *plan.Workload) bool {
	return slices.ContainsFunc(w.References, func(r plan.Reference) bool { return id.is(r.Kind, r.Namespace, r.Name) })
}

// from returns the workload that is meant, or those that refer to the object that is meant, with these references only.
func (id identity) from(all []plan.Workload) []plan.Workload {
	var out []plan.Workload
	for _, w := range all {
		if id.is(w.Kind, w.Namespace, w.Name) {
			out = append(out, w)
			continue
		}
		refs := slices.DeleteFunc(slices.Clone(w.References), func(r plan.Reference) bool {
			return !id.is(r.Kind, r.Namespace, r.Name)
		})
		if len(refs) > 0 {
			w.References = refs
			out = append(out, w)
		}
	}
	return out
}

// about returns the findings about the object that is meant, and about the references that are shown.
func (id identity) about(all []diag.Finding, shown []plan.Workload) []diag.Finding {
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
		namespace := id.namespace // where the finding names none
		if before, after, both := strings.Cut(name, "/"); both {
			namespace, name = before, after
		}
		return !keep[f] && !id.is(kind, namespace, name)
	})
}
