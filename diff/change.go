package diff

import "cmp"

// Change is what became of something.
type Change string

// The changes.
const (
	Addition     Change = "added"
	Removal      Change = "removed"
	Modification Change = "changed"
	Reordering   Change = "reordered" // a list holds the same items in another order
)

// The changes of what a workload reads of an object, besides those of a key itself.
const (
	NewlyRead    Change = "newly read"
	NoLongerRead Change = "no longer read"
)

// Name identifies an object, with its position.
type Name struct {
	App       string `json:"app,omitempty"`
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"` // "" where it is not known
	Name      string `json:"name"`
	File      string `json:"file,omitempty"` // on the new side, or on the old one where it is gone
	Line      int    `json:"line,omitempty"`
}

// String returns "Kind namespace/name".
func (n Name) String() string {
	if n.Namespace == "" {
		return n.Kind + " " + n.Name
	}
	return n.Kind + " " + n.Namespace + "/" + n.Name
}

func (n Name) compare(o Name) int {
	return cmp.Or(cmp.Compare(n.App, o.App), cmp.Compare(n.Kind, o.Kind), cmp.Compare(n.Namespace, o.Namespace),
		cmp.Compare(n.Name, o.Name), cmp.Compare(n.Group, o.Group))
}

// FieldChange is a place in an object that is not what it was.
type FieldChange struct {
	Path   string `json:"path"` // as people write it: spec.template.spec.containers[api].image
	Change Change `json:"change"`
	// Text as it is, in quotes where only the type changes; everything else as JSON; cut where it is long.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Item   bool   `json:"item,omitempty"`   // Path is a list, and From and To are items of it
	Hunks  string `json:"hunks,omitempty"`  // of texts with several lines: a unified diff; cut where it is long
	Hidden bool   `json:"hidden,omitempty"` // a secret value: it is not the same, and no more is shown
	Stamp  bool   `json:"stamp,omitempty"`  // an annotation that holds a digest of ours, or the time of a restart
}

// KeyChange is a key of a ConfigMap or Secret that is not what it was.
type KeyChange struct {
	Key    string `json:"key"`
	Change Change `json:"change"`
	// Of a key that an operator fetches: the place in the store, and the versions that are known of it.
	Remote string `json:"remote,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
}

func compareKeys(a, b KeyChange) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Remote, b.Remote))
}
