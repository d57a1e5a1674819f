package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// isCopied reports whether a reference is to a copy that a tool makes of an object of the same name elsewhere.
func isCopied(r *plan.Reference) bool { return r != nil && r.Source == r.Kind+"/"+r.Name }

// copyGone reports whether a reference was to a copy that a tool made, and nothing makes that any more. Of is what was
// copied, as messages name it, where that is gone.
func (n neighbours) copyGone(old, now *inventory, was, r *plan.Reference) (of string, gone bool) {
	if !isCopied(was) || r.Source != objects.Absent || isOfContext(was) && now.context == nil {
		return "", false
	}
	if _, still := n.now.Provider(n.index, r.Kind, r.Namespace, r.Name); still {
		return "", false
	}
	if n.provides(was) {
		return "", true
	}
	if o := old.anyGroup(was.Kind, was.Namespace, was.Name); o != nil && o.remains() {
		return "", false
	}
	return manifest.Describe(was.Kind, was.Namespace, was.Name), true
}

// isOfContext reports whether the context has what a reference is to a copy of.
func isOfContext(r *plan.Reference) bool {
	return slices.ContainsFunc(r.Producers, func(p plan.Producer) bool { return p.Copied && p.Context })
}

// provides reports whether the application brings an object into the cluster on the new side.
func (n neighbours) provides(r *plan.Reference) bool {
	a := n.after.apps[n.names[n.index]]
	return a != nil && a.Render != nil && slices.ContainsFunc(a.result().Provided, func(p objects.Provided) bool {
		return p.Kind == r.Kind && p.Name == r.Name && p.Namespace == r.Namespace
	})
}

// originGone returns what was copied into what a reference is to, as messages name it, where that is gone; "" where it
// is not. Was is the reference on the old side, nil for none.
func (n neighbours) originGone(now *inventory, was, r *plan.Reference) string {
	of := objects.Original(r.Origin)
	if of.Name == "" {
		return ""
	}
	hadFromContext := was != nil && isOfContext(was) && now.context != nil && was.Origin != r.Origin
	if _, still := n.now.Original(n.index, r.Kind, of); hadFromContext && !still {
		return manifest.Describe(r.Kind, of.Namespace, of.Name)
	}
	return n.originalGone(n.index, r.Kind, of)
}

// originalGone returns what tools copy, as messages name it, where an application had it that is in the cluster of the
// i-th one, none has it any more, and it does not stay in the cluster; else "".
func (n neighbours) originalGone(i int, kind string, of objects.Original) string {
	if of.Name == "" {
		return ""
	}
	was, before := n.old.Original(i, kind, of)
	if _, still := n.now.Original(i, kind, of); !before || still || was.Doubtful != "" || n.fails(was.App) {
		return ""
	}
	in, err := n.before.of(was.App)
	if err != nil || in.keeps(&plan.Reference{Kind: kind, Namespace: of.Namespace, Name: of.Name}) {
		return ""
	}
	producer, _, _ := strings.Cut(was.Producer, " ")
	if o := in.named()[was.Producer]; leavesSecrets(producer) || o != nil && o.productStays() != "" {
		return ""
	}
	return manifest.Describe(kind, of.Namespace, of.Name)
}
