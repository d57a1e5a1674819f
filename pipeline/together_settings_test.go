package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// configuration returns a random configuration in which each feature is as likely as not to be in force.
func configuration(c *choices) string {
	out := object{}
	some := func(field string, value any) {
		if c.oneIn(4) {
			out[field] = value
		}
	}
	strategy := func() string { return pick(c, "annotation", "env", "suffix", "suffix", "env", "none") }
	if !c.oneIn(3) {
		out["strategy"] = strategy()
	}
	some("combined", true)
	some("allContainers", true)
	some("annotationPrefix", "ops.example.com")
	if c.oneIn(2) {
		out["suffix"] = object{"keep": c.below(3), "prune": pick(c, "engine", "last", "never")}
	}
	some("liveVolumes", true)
	if c.oneIn(8) {
		out["reload"] = "manual"
	}
	some("ignore", []any{object{"kind": "ConfigMap", "name": "b"}})
	if c.oneIn(2) {
		out["secrets"] = object{"refresh": pick(c, "annotate", "pin", "suffix", "suffix", "off")}
	}
	some("render", object{"foreignChecksums": pick(c, "keep", "drop", "replace")})
	some("compat", compatibility(c))
	some("workloads", []any{
		object{"match": object{"name": "w0"}, "strategy": strategy(), "combined": c.oneIn(2)},
		object{"match": object{"name": "w1"}, "reload": pick(c, "manual", "auto"), "mode": pick(c, "on", "on", "off", "auto")},
	})
	some("bindings", bindings(c))
	some("replicate", []any{object{"kind": "ConfigMap", "name": "shared", "namespace": "q",
		"to": object{"names": []string{"x", "y"}}}})
	some("kinds", []any{object{"group": "example.com", "kind": "Bucket", "copies": []any{
		object{"kind": "ConfigMap", "name": "a", "key": "k1", "to": "spec.a.text"},
		object{"kind": "Secret", "name": "c", "key": "k2", "to": "spec.token"},
	}}})
	if c.oneIn(3) {
		out["order"], out["waves"] = []any{object{"name": "w1"}, object{"kind": "StatefulSet"}}, "argocd"
	}
	text, err := kube.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func compatibility(c *choices) object {
	out := object{"reloader": pick(c, "honour", "honour", "only", "off"), "wholeObjects": c.oneIn(2)}
	for _, tool := range []string{"wave", "flagger", "kapp", "onepassword", "fluxoperator"} {
		if c.oneIn(2) {
			out[tool] = "honour"
		}
	}
	if out["reloader"] != "off" && c.oneIn(2) {
		out["reloaderArgs"] = []string{"--auto-reload-all=" + pick(c, "true", "false"),
			"--ignored-workload-types=" + pick(c, "jobs", "cronjobs")}
	}
	return out
}

func bindings(c *choices) (out []any) {
	match := object{"name": pick(c, "*", "w0", "w1")}
	if c.oneIn(2) {
		out = append(out, object{"match": match, "kind": "Secret", "name": pick(c, "c", "made"), "as": "envFrom"})
	}
	if c.oneIn(2) {
		out = append(out, object{"match": match, "kind": "ConfigMap", "name": "b", "as": "env",
			"keys": []string{"k1", "k2"}, "prefix": "X_", "containers": []string{"*"}})
	}
	return append(out, object{"match": match, "kind": "ConfigMap", "name": pick(c, "a", "a.b"), "as": "volume",
		"mountPath": "/etc/ca"})
}

// lines returns random lines of the lock about what a plan has: digests of now and of before, and restarts.
func lines(c *choices, p *plan.Plan) string {
	out := map[string]bool{}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		id := policy.WorkloadID(w.Kind, w.Namespace, w.Name)
		if c.oneIn(6) {
			out["path/. "+id+" restart 2026-05-01T10:00:00Z%20alice%20leaks"] = true
		}
		for k := range w.References {
			r := &w.References[k]
			if !c.oneIn(3) || r.Digest == "" {
				continue
			}
			digest := r.Digest
			if c.oneIn(2) {
				digest = "v1-0123456789abcdef"
			}
			wanted := plan.Wanted{Kind: r.Kind, Name: r.Name}
			if r.Namespace != w.Namespace {
				wanted.Namespace = r.Namespace
			}
			line := fmt.Sprintf("path/. %s#%s %s %s", id, policy.ObjectID(&wanted), pick(c, lock.Adopted, lock.Approved), digest)
			if strings.Contains(line, " adopted ") && c.oneIn(3) {
				line += "=v1-00c4e1d2b3a49586"
			}
			out[line] = true
		}
	}
	var text strings.Builder
	text.WriteString("schema 3\nlevel 1\n")
	for line := range out {
		text.WriteString(line + "\n")
	}
	return text.String()
}

// settingsIn writes a configuration and a lock into a folder, and returns the settings that are in force there.
func settingsIn(t testing.TB, dir, configuration, lines string) (*config.Settings, error) {
	t.Helper()
	write(t.(*testing.T), filepath.Join(dir, config.FileName), configuration)
	if lines != "" {
		write(t.(*testing.T), filepath.Join(dir, lock.FileName), lines)
	} else if err := os.RemoveAll(filepath.Join(dir, lock.FileName)); err != nil {
		t.Fatal(err)
	}
	place, err := config.Locate(dir)
	if err != nil {
		return nil, err
	}
	return config.Resolve(config.Inputs{Place: place, Env: func(string) (string, bool) { return "", false }})
}
