package policy_test

import (
	"slices"
	"testing"

	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

func TestALineIsAboutTheWorkloadOfItsNameInOneNamespace(t *testing.T) {
	at := func(namespaces ...string) (out []policy.WorkloadName) {
		for _, namespace := range namespaces {
			out = append(out, policy.WorkloadName{Kind: "Deployment", Namespace: namespace, Name: "web"})
		}
		return out
	}
	for name, c := range map[string]struct {
		lines []string
		text  []policy.WorkloadName
		want  []string
	}{
		"the render brings the namespace":  {[]string{"Deployment//web"}, at("shop"), []string{"Deployment/shop/web"}},
		"the render has it in two":         {[]string{"Deployment//web"}, at("shop", "blog"), []string{"Deployment//web"}},
		"the render has it without one":    {[]string{"Deployment//web"}, at("", "blog"), []string{"Deployment//web"}},
		"the text lacks the namespace":     {[]string{"Deployment/shop/web"}, at(""), []string{"Deployment//web"}},
		"lines of two namespaces":          {[]string{"Deployment/a/web", "Deployment/b/web"}, at(""), []string{"Deployment/a/web", "Deployment/b/web"}},
		"of another namespace":             {[]string{"Deployment/shop/web"}, at("blog"), []string{"Deployment/shop/web"}},
		"one that names it beside another": {[]string{"Deployment//web", "Deployment/shop/web"}, at("shop"), []string{"Deployment/shop/web", "Deployment/shop/web"}},
		"of another kind":                  {[]string{"StatefulSet//web"}, at("shop"), []string{"StatefulSet//web"}},
	} {
		var all []lock.Decision
		for _, line := range c.lines {
			all = append(all, lock.Decision{Class: lock.Restart, Workload: line})
		}
		if got := policy.Meant(all, slices.Values(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
