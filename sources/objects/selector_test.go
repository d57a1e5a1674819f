package objects

import (
	"strings"
	"testing"
)

func TestASelectorIsReadAsKubectlReadsIt(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"env": "prod", "team": "a", "example.com/tier": "1", "empty": ""}
	for selector, want := range map[string]bool{
		"env=prod": true, "env==prod": true, "env = prod": true, "env=dev": false, "env!=dev": true, "env!=prod": false, "none!=x": true,
		"env": true, "none": false, "!none": true, "!env": false, "example.com/tier=1": true, "empty=": true, "none=": false,
		"env in (dev,prod)": true, "env in (dev, test)": false, "env notin (dev)": true, "env notin (prod)": false, "none notin (x)": true, "none in (x)": false,
		"env=prod,team in (a,b),!none": true, "env=prod,team in (b,c)": false, "env=prod, team": true, "env in(prod)": true,
		"env in (": false, "env=prod,,team": false, "=x": false, "env prod": false, "!env=prod": false, "env=prod,": false,
	} {
		got := selectsText(selector, func(key string) (string, bool) { v, there := labels[key]; return v, there })
		if got != want {
			t.Errorf("%q: got %v", selector, got)
		}
	}
}

func TestACopyIsMadeWhereItsSelectorChoosesTheNamespace(t *testing.T) {
	t.Parallel()
	const namespaces = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: chosen, labels: {env: prod}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other, labels: {env: dev}}\n" +
		"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: named}\n"
	for _, c := range []struct{ notes, want string }{
		{"replicator.v1.mittwald.de/replicate-to-matching: env=prod", "chosen"},
		{"replicator.v1.mittwald.de/replicate-to-matching: kubernetes.io/metadata.name=other", "other"},
		{"replicator.v1.mittwald.de/replicate-to-matching: 'env in (prod,test)', replicator.v1.mittwald.de/replicate-to: named", "chosen named"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector: env=prod", "chosen"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector: env=prod, reflector.v1.k8s.emberstack.com/reflection-auto-namespaces: named", "chosen named"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true'", "chosen other named"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector: env=prod", ""},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-allowed: 'true', reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces: 'named,oth.*'", "other named"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-allowed: 'false'", ""},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces-selector: env=prod, reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces: named", "chosen named"},
		{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled: 'true', reflector.v1.k8s.emberstack.com/reflection-auto-namespaces: 'chosen,named', reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces: 'named,other'", "named"},
	} {
		x := indexed(t, "", "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: own, annotations: {"+c.notes+"}}\nstringData: {a: b}\n"+namespaces)
		got := ""
		for _, namespace := range []string{"chosen", "other", "named"} {
			if o, _ := x.Find("Secret", namespace, "s"); o != nil {
				got += " " + namespace
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s: copied to %q, want %q", c.notes, got, c.want)
		}
		// What labels a namespace has that lies elsewhere nobody knows.
		byList := strings.Contains(c.notes, "namespaces: ") && !strings.Contains(c.notes, "selector")
		if o, _ := x.Find("Secret", "elsewhere", "s"); (o != nil) != (c.want != "" && !byList) {
			t.Errorf("%s: elsewhere: %v", c.notes, o != nil)
		}
	}
}
