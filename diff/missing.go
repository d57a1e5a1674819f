package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// missingOf reports workloads whose new pods cannot start: what they require was there, and is not any more; or it is
// there without a key, which is news.
// Where no object of the application changes, that is news only of what it has from its context.
func (n neighbours) missingOf(old, now *inventory, changed bool) []Blocked {
	var out []Blocked
	for _, o := range now.all {
		if o.workload == nil {
			continue
		}
		before := old.by[o.id()]
		for i := range o.workload.References {
			r := &o.workload.References[i]
			if r.Optional || !starts(r) || objects.IsInEachNamespace(r.Kind, r.Name) {
				continue
			}
			was := referenceTo(before, r)
			if of := n.originGone(now, was, r); of != "" {
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: r.Kind + " " + r.Name, Of: of})
				continue
			}
			if !changed && (now.context == nil || was == nil || was.Source != objects.Context && !isOfContext(was)) {
				continue
			}
			object := old.find(r.Kind, r.Namespace, r.Name)
			if of, gone := n.copyGone(old, now, was, r); gone {
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: r.Kind + " " + r.Name, Of: of})
				continue
			}
			isGone := now.context.lost(was, r) && !n.knows(r) || object != nil && !object.remains() && wasFound(was, now, r)
			if r.Source == objects.Absent && (isGone || old.producerGone(now, was) || wasGenerated(old, before, r)) {
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: r.Kind + " " + r.Name})
			}
			lacking := newlyLacking(before, was, r, object != nil)
			if len(lacking) < len(r.Lacking) && old.ranNone(before) && r.Source != objects.Context {
				lacking = r.Lacking // no pod was started without them
			}
			for _, key := range lacking {
				out = append(out, Blocked{Name: o.Name, Reason: hindrance(object, was, key),
					Object: r.Kind + " " + r.Name, Key: key})
			}
		}
	}
	return out
}

// wasFound reports whether a workload found on the old side what it refers to. Of a reference that is new, an object
// counts that is not on the new side: one without a namespace may be another one than what is meant.
func wasFound(was *plan.Reference, now *inventory, r *plan.Reference) bool {
	if was == nil {
		return now.find(r.Kind, r.Namespace, r.Name) == nil
	}
	return was.Source != objects.Absent
}

// newlyLacking returns the keys that a reference lacks, and that the same one of the workload as it was did not lack.
// What an application has from its context, or the cluster had without a manifest, may have more keys than are seen.
func newlyLacking(before *object, was, now *plan.Reference, rendered bool) (keys []string) {
	switch {
	case now.Source == objects.Context && (before == nil || was == nil):
		return nil
	case was == nil:
		return now.Lacking
	case was.Source == objects.Absent && !rendered:
		return nil
	}
	for _, key := range now.Lacking {
		if !slices.Contains(was.Lacking, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// hindrance returns what the lack of a key is called: it is gone where the object had it, or a reference to that found
// it.
func hindrance(before *object, was *plan.Reference, key string) Hindrance {
	if was != nil && (was.Keys == nil || slices.Contains(was.Keys, key)) && before == nil {
		return KeyGone
	}
	if before == nil {
		return NoKey
	}
	table, err := before.table()
	for _, field := range []string{"data", "binaryData", "stringData"} {
		if _, had := at(table, field)[key]; had || err != nil {
			return KeyGone
		}
	}
	return NoKey
}

// ranNone reports whether a workload was there and started no pods.
func (in *inventory) ranNone(o *object) bool {
	idle, err := in.isIdle(o)
	return idle && err == nil
}

// producerGone reports whether the object of a reference goes with what produced it: that is not on the new side, or
// produces another one there.
func (in *inventory) producerGone(now *inventory, was *plan.Reference) bool {
	if was == nil || isCopied(was) {
		return false
	}
	kind, name, produced := strings.Cut(was.Source, "/")
	if !produced || leavesSecrets(kind) {
		return false
	}
	if o := in.anyGroup(kind, was.Namespace, name); o != nil && o.productStays() != "" {
		return false
	}
	return now.anyGroup(kind, was.Namespace, name) == nil || renames(kind)
}

// renames reports whether the operator for objects of a kind deletes what they produced under another name.
func renames(kind string) bool {
	return kind == "ExternalSecret" || strings.HasPrefix(kind, "Vault") && strings.HasSuffix(kind, "Secret")
}

// leavesSecrets reports whether what objects of a kind produce stays without them: cert-manager leaves the Secrets of
// its Certificates, and of those that it makes for others.
func leavesSecrets(kind string) bool {
	return kind == "Certificate" || kind == "Ingress" || kind == "Gateway"
}

// wasGenerated reports whether a workload referred to an object of another side whose name had a hash at its end.
func wasGenerated(old *inventory, before *object, r *plan.Reference) bool {
	if before == nil || before.workload == nil {
		return false
	}
	return slices.ContainsFunc(before.workload.References, func(was plan.Reference) bool {
		base, ok := generated.Base(was.Name)
		return ok && base == r.Name && was.Kind == r.Kind && old.find(was.Kind, was.Namespace, was.Name) != nil
	})
}

// starts reports whether pods need what the reference is to before they can start.
func starts(r *plan.Reference) bool {
	return slices.ContainsFunc(r.Forms, func(form string) bool {
		switch refs.Form(form) {
		case refs.FormEnv, refs.FormEnvFrom, refs.FormVolume, refs.FormProjected:
			return true
		}
		return false
	})
}

// referenceTo returns the reference of a workload to the object that another one is to, or to what was copied into
// that; nil where there is none.
func referenceTo(o *object, r *plan.Reference) *plan.Reference {
	if o == nil || o.workload == nil {
		return nil
	}
	for i := range o.workload.References {
		was := &o.workload.References[i]
		if was.Kind == r.Kind && was.Name == r.Name && (was.Namespace == r.Namespace || isCopied(was)) {
			return was
		}
	}
	return nil
}
