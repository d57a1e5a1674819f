package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/files"
)

// Protect is which objects are protected, and who may change them. The zero value protects none.
type Protect struct {
	Objects         Setting[[]ProtectRule]
	Approvals       Setting[[]NonEmpty] // absolute paths
	Users           Setting[[]NonEmpty]
	Groups          Setting[[]NonEmpty]
	ServiceAccounts Setting[[]ServiceAccount]
}

// IsZero reports whether nothing is protected.
func (p *Protect) IsZero() bool { return len(p.Objects.Value) == 0 }

// ProtectRule protects objects.
type ProtectRule struct {
	// Which objects are protected. A Secret or ConfigMap is also what an object of an operator makes.
	Match Match `yaml:"match" json:"match" schema:"required"`
	// What they are protected against; all three where absent. Whoever protects against change protects against empty.
	Against []Against `yaml:"against,omitempty" json:"against,omitempty"`
	// Users who may do it in the cluster, as Kubernetes names them, besides those of protect.users.
	Users []NonEmpty `yaml:"users,omitempty" json:"users,omitempty"`
	// Groups whose members may do it in the cluster, besides those of protect.groups.
	Groups []NonEmpty `yaml:"groups,omitempty" json:"groups,omitempty"`
	// Service accounts that may do it in the cluster, besides those of protect.serviceAccounts.
	ServiceAccounts []ServiceAccount `yaml:"serviceAccounts,omitempty" json:"serviceAccounts,omitempty"`
}

// Forbids reports whether objects of the rule are protected against something.
func (r *ProtectRule) Forbids(what Against) bool {
	if len(r.Against) == 0 {
		return true
	}
	for _, one := range r.Against {
		if one == what || one == AgainstChange && what == AgainstEmpty {
			return true
		}
	}
	return false
}

// IsIncludedIn reports whether another rule is for the same objects, and protects them against as much.
func (r *ProtectRule) IsIncludedIn(other ProtectRule) bool {
	if r.Match.Kind != other.Match.Kind || r.Match.Name != other.Match.Name ||
		r.Match.Namespace != other.Match.Namespace || r.Match.Labels.String() != other.Match.Labels.String() {
		return false
	}
	for _, what := range []Against{AgainstChange, AgainstEmpty, AgainstDelete} {
		if r.Forbids(what) && !other.Forbids(what) {
			return false
		}
	}
	return true
}

// Against is what an object is protected against.
type Against string

// What there is.
const (
	AgainstChange Against = "change" // what it holds becomes other than it was
	AgainstEmpty  Against = "empty"  // it held something, and does no more
	AgainstDelete Against = "delete" // it goes, also by another name or namespace
)

// Choices lists the values.
func (Against) Choices() []string {
	return []string{string(AgainstChange), string(AgainstEmpty), string(AgainstDelete)}
}

// UnmarshalText takes one of Choices.
func (a *Against) UnmarshalText(b []byte) error { return choose(a, string(b)) }

// ServiceAccount is a service account, as NAMESPACE/NAME.
type ServiceAccount string

// UnmarshalText takes NAMESPACE/NAME.
func (a *ServiceAccount) UnmarshalText(b []byte) error {
	namespace, name, ok := strings.Cut(string(b), "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return errors.New("want a service account as NAMESPACE/NAME")
	}
	*a = ServiceAccount(b)
	return nil
}

// User returns the account as the API server names it among users.
func (a ServiceAccount) User() string {
	return "system:serviceaccount:" + strings.Replace(string(a), "/", ":", 1)
}

// findApprovals makes the paths of files with approvals absolute. They lead to something in the repository.
func (f *File) findApprovals(root string) error {
	for i, name := range f.given.Protect.Approvals.Value {
		path := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(string(name)))
		if filepath.IsAbs(string(name)) || !files.Within(root, path) {
			return mistakeAt(f.where[fmt.Sprintf("protect.approvals[%d]", i)],
				fmt.Errorf("protect.approvals: want a path relative to this file that stays in %s", root))
		}
		f.given.Protect.Approvals.Value[i] = NonEmpty(path)
	}
	return nil
}

// protectRows are the settings about protected objects.
var protectRows = []Row{
	{Name: "protect", In: InFile, About: "Objects that no commit changes without an approval in Git; those of the old " +
		"side of a comparison count as well, so that nobody loosens them and uses that at once."},
	{
		Name: "protect.objects", In: InFile,
		Example: `[{match: {kind: Secret, namespace: platform, name: blogsecret, labels: tier=gold}, ` +
			`against: [change, empty, delete], users: [alice], groups: [admins], ` +
			`serviceAccounts: [argocd/argocd-application-controller]}]`,
		About: "Which objects are protected, and against what: change, empty and delete.",
		field: value(func(s *Settings) *Setting[[]ProtectRule] { return &s.Protect.Objects }),
	}, {
		Name: "protect.approvals", In: InFile,
		Example: "[APPROVALS]",
		About: "Files with approvals, relative to this file: a line as Secret/platform/blogsecret that a commit adds " +
			"approves what else it does to this object. Without one a trailer Rollstamp-Approve in a commit approves.",
		field: value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Protect.Approvals }),
	}, {
		Name: "protect.users", In: InFile,
		Example: "[alice]",
		About:   "Users who may do it in the cluster, by the ValidatingAdmissionPolicy that rollstamp protect prints.",
		field:   value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Protect.Users }),
	}, {
		Name: "protect.groups", In: InFile,
		Example: "['system:masters']",
		About:   "Groups whose members may do it in the cluster, by that policy.",
		field:   value(func(s *Settings) *Setting[[]NonEmpty] { return &s.Protect.Groups }),
	}, {
		Name: "protect.serviceAccounts", In: InFile,
		Example: "[argocd/argocd-application-controller]",
		About:   "Service accounts, as NAMESPACE/NAME, that may do it in the cluster, by that policy.",
		field:   value(func(s *Settings) *Setting[[]ServiceAccount] { return &s.Protect.ServiceAccounts }),
	},
}
