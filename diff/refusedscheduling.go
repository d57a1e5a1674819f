package diff

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// checkScheduling takes what a pod says of itself as a whole: its names, its user, and where it runs.
func (p *podCheck) checkScheduling(path string, spec *corev1.PodSpec) {
	p.checkChoice(path+".dnsPolicy", string(spec.DNSPolicy), "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
	if s := spec.SecurityContext; s != nil {
		p.checkUsers(path+".securityContext", user{"runAsUser", s.RunAsUser}, user{"runAsGroup", s.RunAsGroup},
			user{"fsGroup", s.FSGroup})
	}
	for i, t := range spec.Tolerations {
		at := fmt.Sprint(path, ".tolerations[", i, "]")
		switch {
		case t.Operator == corev1.TolerationOpExists && t.Value != "":
			p.refuse(at, "it has a value, and its operator is Exists")
		case t.Operator != corev1.TolerationOpExists && t.Key == "":
			p.refuse(at, "it has no key, and its operator is not Exists")
		}
	}
	for i, c := range spec.TopologySpreadConstraints {
		at := fmt.Sprint(path, ".topologySpreadConstraints[", i, "]")
		if c.MaxSkew <= 0 {
			p.refuse(at+".maxSkew", "it has to be above 0")
		}
		if c.TopologyKey == "" {
			p.refuse(at+".topologyKey", "there is none")
		}
	}
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return
	}
	if nodes := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; nodes != nil {
		p.checkNodes(path+".affinity.nodeAffinity", nodes.NodeSelectorTerms)
	}
}

// checkNodes takes what is asked of the nodes of a pod.
func (p *podCheck) checkNodes(path string, terms []corev1.NodeSelectorTerm) {
	for _, term := range terms {
		for _, e := range term.MatchExpressions {
			isList := e.Operator == corev1.NodeSelectorOpIn || e.Operator == corev1.NodeSelectorOpNotIn
			isBare := e.Operator == corev1.NodeSelectorOpExists || e.Operator == corev1.NodeSelectorOpDoesNotExist
			if isList && len(e.Values) == 0 || isBare && len(e.Values) > 0 {
				p.refuse(path, fmt.Sprintf("operator %s has %d values", e.Operator, len(e.Values)))
			}
		}
	}
}

// checkChoice takes a field that is one of some words, or not set.
func (p *podCheck) checkChoice(path, value string, words ...string) {
	if value != "" && !slices.Contains(words, value) {
		p.refuse(path, "it is "+strings.Join(words[:len(words)-1], ", ")+" or "+words[len(words)-1])
	}
}

// user is a field with the number of a user or a group.
type user struct {
	field string
	id    *int64
}

// checkUsers takes numbers of users and groups.
func (p *podCheck) checkUsers(path string, all ...user) {
	for _, u := range all {
		if u.id != nil && (*u.id < 0 || *u.id > 1<<31-1) {
			p.refuse(path+"."+u.field, "it is a number from 0 to 2147483647")
		}
	}
}
