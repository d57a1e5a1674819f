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

// requiredGone reports workloads whose new pods cannot start: their account or a claim of theirs was there, and is not
// any more. Where none is gone, no workload is looked at.
func (c comparer) requiredGone(removed []*object, now *inventory) (out []Blocked, err error) {
	removed = slices.DeleteFunc(slices.Clone(removed), func(o *object) bool {
		return o.Group != "" || o.Kind != accounts && o.Kind != claims || o.remains() ||
			o.Kind == accounts && o.Name.Name == "default" // the cluster makes it in each namespace
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

// requires reports whether the pods of a workload need an account or a claim.
func requires(table map[string]any, rows []*refs.Kind, o *object) bool {
	for _, row := range rows {
		spec := at(at(table, row.Template...), "spec")
		if o.Kind == accounts {
			account := spec["serviceAccountName"]
			if account == nil {
				account = spec["serviceAccount"]
			}
			if account == o.Name.Name {
				return true
			}
			continue
		}
		volumes, _ := spec["volumes"].([]any)
		for _, v := range volumes {
			volume, _ := v.(map[string]any)
			if at(volume, "persistentVolumeClaim")["claimName"] == o.Name.Name {
				return true
			}
		}
	}
	return false
}
