package diff

import (
	"cmp"
	"slices"

	"github.com/rollstamp/rollstamp/refs"
)

// The kinds besides ConfigMaps and Secrets without which no pod starts.
const (
	accounts = "ServiceAccount"
	claims   = "PersistentVolumeClaim"
)

// defaultAccount is the account that the cluster makes in each namespace.
const defaultAccount = "default"

// requiredGone reports workloads whose new pods cannot start: their account or a claim of theirs was there, and is not
// any more. Where none is gone, no workload is looked at.
func (c comparer) requiredGone(removed []*object, now *inventory) (out []Blocked, err error) {
	removed = slices.DeleteFunc(slices.Clone(removed), func(o *object) bool {
		return o.Group != "" || o.Kind != accounts && o.Kind != claims || o.remains() ||
			o.Kind == accounts && o.Name.Name == defaultAccount
	})
	if len(removed) == 0 {
		return nil, nil
	}
	for _, o := range now.all {
		rows := rowsOf(c.kinds, o)
		if len(rows) == 0 {
			continue
		}
		table, err := o.table()
		if err != nil {
			return nil, err
		}
		for _, gone := range removed {
			if now.sameSpace(gone, o) && requires(table, rows, gone) {
				out = append(out, Blocked{Name: o.Name, Reason: Gone, Object: gone.Kind + " " + gone.Name.Name})
			}
		}
	}
	return out, nil
}

// sameSpace reports whether two objects are in one namespace.
func (in *inventory) sameSpace(a, b *object) bool {
	return cmp.Or(a.Namespace, in.space) == cmp.Or(b.Namespace, in.space)
}

// requires reports whether the pods of a workload need an account, a claim or a class.
func requires(table map[string]any, rows []*refs.Kind, o *object) bool {
	for _, row := range rows {
		if podRequires(at(at(table, row.Template...), "spec"), o) {
			return true
		}
	}
	return false
}

// podRequires reports whether a pod needs an account, a claim or a class.
func podRequires(spec map[string]any, o *object) bool {
	switch o.Kind {
	case accounts:
		account := spec["serviceAccountName"]
		if account == nil {
			account = spec["serviceAccount"]
		}
		return account == o.Name.Name
	case priorityClass:
		return spec["priorityClassName"] == o.Name.Name
	case runtimeClass:
		return spec["runtimeClassName"] == o.Name.Name
	}
	volumes, _ := spec["volumes"].([]any)
	return slices.ContainsFunc(volumes, func(v any) bool {
		volume, _ := v.(map[string]any)
		return at(volume, "persistentVolumeClaim")["claimName"] == o.Name.Name
	})
}
