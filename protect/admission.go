package protect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/config"
)

// object is a manifest as it is printed.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec any `yaml:"spec"`
}

// policySpec is the spec of a ValidatingAdmissionPolicy.
type policySpec struct {
	FailurePolicy    string `yaml:"failurePolicy"`
	MatchConstraints struct {
		ResourceRules []resourceRule `yaml:"resourceRules"`
	} `yaml:"matchConstraints"`
	MatchConditions []named      `yaml:"matchConditions"`
	Variables       []named      `yaml:"variables"`
	Validations     []validation `yaml:"validations"`
}

type resourceRule struct {
	APIGroups   []string `yaml:"apiGroups,flow"`
	APIVersions []string `yaml:"apiVersions,flow"`
	Operations  []string `yaml:"operations,flow"`
	Resources   []string `yaml:"resources,flow"`
}

type named struct {
	Name       string `yaml:"name"`
	Expression string `yaml:"expression"`
}

type validation struct {
	Expression string `yaml:"expression"`
	Message    string `yaml:"message"`
	Reason     string `yaml:"reason"`
}

type bindingSpec struct {
	PolicyName        string   `yaml:"policyName"`
	ValidationActions []string `yaml:"validationActions,flow"`
}

const admission = "admissionregistration.k8s.io/v1"

// Names is how ConfigMaps and Secrets are called in the cluster.
type Names string

// The ways.
const (
	AsWritten   Names = "as written"
	WithDigests Names = "with digests" // or as written: strategy: suffix renames those that can be
)

// Policy returns a ValidatingAdmissionPolicy and its binding, by which the API server refuses what the rules forbid to
// all whom they do not name.
func Policy(name string, p config.Protect, names Names) (*bytes.Buffer, error) {
	policy := object{APIVersion: admission, Kind: "ValidatingAdmissionPolicy", Spec: specOf(p, names)}
	binding := object{APIVersion: admission, Kind: "ValidatingAdmissionPolicyBinding",
		Spec: bindingSpec{name, []string{"Deny"}}}
	policy.Metadata.Name, binding.Metadata.Name = name, name
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	for _, one := range []object{policy, binding} {
		if err := enc.Encode(one); err != nil {
			return nil, fmt.Errorf("write %s: %w", one.Kind, err)
		}
	}
	return &out, enc.Close()
}

// specOf returns the policy of the rules. Its conditions leave out at once what no rule is for.
func specOf(p config.Protect, names Names) policySpec {
	out := policySpec{FailurePolicy: "Fail", Variables: variables()}
	var any []string
	for _, rule := range p.Objects.Value {
		r := resourcesOf(string(rule.Match.Kind))
		if !slices.ContainsFunc(out.MatchConstraints.ResourceRules, r.equals) {
			out.MatchConstraints.ResourceRules = append(out.MatchConstraints.ResourceRules, r)
		}
		at := "(" + placed(rule.Match, names) + ")"
		any = append(any, at)
		out.Validations = append(out.Validations, validationsOf(p, rule, at)...)
	}
	out.MatchConditions = []named{{"an-object-that-a-rule-may-be-for", strings.Join(any, " || ")}}
	return out
}

// validationsOf returns what a rule demands of whom it does not name, for objects that are what fits says.
func validationsOf(p config.Protect, rule config.ProtectRule, fits string) (out []validation) {
	if labels := selected(rule.Match.Labels, "variables.labels"); labels != "" {
		fits += " && (" + labels + ")"
	}
	unless := "!(" + fits + ") || " + mayOf(p, rule) + " || "
	add := func(forbidden, what string) {
		out = append(out, validation{unless + "!(" + forbidden + ")", describe(rule.Match) + ": " + what, "Forbidden"})
	}
	if rule.Forbids(config.AgainstDelete) {
		add("request.operation == 'DELETE'", "it is protected against deletion")
	}
	switch {
	case rule.Forbids(config.AgainstChange):
		add("variables.changed", "it is protected against changes")
	case rule.Forbids(config.AgainstEmpty):
		add("variables.emptied", "it is protected against being emptied")
	}
	if labels := selected(rule.Match.Labels, "variables.newLabels"); labels != "" {
		add("request.operation == 'UPDATE' && !("+labels+")", "the labels stay by which it is protected")
	}
	return out
}

// mayOf returns whether the user is one whom the rule names.
func mayOf(p config.Protect, rule config.ProtectRule) string {
	users := config.Strings(slices.Concat(p.Users.Value, rule.Users))
	for _, account := range slices.Concat(p.ServiceAccounts.Value, rule.ServiceAccounts) {
		users = append(users, account.User())
	}
	groups := config.Strings(slices.Concat(p.Groups.Value, rule.Groups))
	var any []string
	if len(users) > 0 {
		any = append(any, "request.userInfo.username in "+list(users))
	}
	if len(groups) > 0 {
		any = append(any, "request.userInfo.groups.exists(g, g in "+list(groups)+")")
	}
	if any == nil {
		return "false"
	}
	return "(" + strings.Join(any, " || ") + ")"
}

// resourcesOf returns the requests that a rule for a kind is about; of all kinds where it names none. A kind of which
// the group is not known is taken in every group.
func resourcesOf(kind string) resourceRule {
	out := resourceRule{[]string{"*"}, []string{"*"}, []string{"UPDATE", "DELETE"}, []string{"*"}}
	kind = strings.ToLower(kind)
	if kind == "" {
		return out
	}
	if slices.Contains(core, kind) {
		out.APIGroups = []string{""}
	}
	out.Resources = []string{plural(kind)}
	return out
}

func (r resourceRule) equals(o resourceRule) bool {
	return slices.Equal(r.APIGroups, o.APIGroups) && slices.Equal(r.Resources, o.Resources)
}

// core are kinds of Kubernetes without a group that hold what people protect.
var core = []string{"configmap", "secret", "namespace", "serviceaccount", "service", "persistentvolumeclaim",
	"persistentvolume", "limitrange", "resourcequota"}

// plural returns how the API calls the objects of a kind, by the rule that Kubernetes itself guesses by.
func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"):
		return kind + "es"
	case strings.HasSuffix(kind, "y"):
		return strings.TrimSuffix(kind, "y") + "ies"
	}
	return kind + "s"
}

// describe returns a rule's objects in words, for the message of a refusal.
func describe(m config.Match) string {
	var parts []string
	for _, one := range [][2]string{{"kind", string(m.Kind)}, {"namespace", string(m.Namespace)},
		{"name", string(m.Name)}, {"labels", m.Labels.String()}} {
		if one[1] != "" {
			parts = append(parts, one[0]+": "+one[1])
		}
	}
	return "rollstamp protect {" + strings.Join(parts, ", ") + "}"
}
