// Package contract holds the build of Flux's objects against the real controllers: a case is a repository, and what the
// controllers apply of it is what we print, object by object; or both refuse it.
package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

func TestWhatTheControllersApplyIsWhatWePrint(t *testing.T) {
	flux := parts.Start(t)
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	cases := []contractCase{syntax(t, flux)}
	for _, path := range paths {
		cases = append(cases, readCase(t, flux, path))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.hold(t, flux)
		})
	}
}

// hold installs the case and compares what came of each Kustomization and HelmRelease.
func (c contractCase) hold(t *testing.T, flux *parts.Flux) {
	t.Helper()
	c.install(t, flux)
	refused := c.refused()
	var settled []cluster.Object
	for _, o := range c.objects(t) {
		if o.Kind() != "Kustomization" && o.Kind() != "HelmRelease" {
			continue
		}
		t.Run("the controller on "+o.Name(), func(t *testing.T) {
			if words, bad := refused[o.Name()]; bad {
				flux.AwaitFailure(t, o, words.theirs)
			} else {
				settled = append(settled, flux.AwaitReady(t, o))
			}
		})
	}
	if reason := c.about[noCLI]; reason == "" {
		c.compareCLI(t, flux, settled)
	}
	c.compareOurs(t, flux, settled, refused)
}

// compareCLI holds Flux's command line against what the Kustomizations applied.
func (c contractCase) compareCLI(t *testing.T, flux *parts.Flux, settled []cluster.Object) {
	t.Helper()
	for _, live := range settled {
		if live.Kind() != "Kustomization" {
			continue
		}
		if diff := flux.Compare(t, live, cluster.Parse(t, c.runCLI(t, live))); diff != "" {
			t.Errorf("%s: the controller and Flux's command line differ: %s", live, diff)
		}
	}
}

// compareOurs holds what we print against what was applied, and our errors against what was refused.
func (c contractCase) compareOurs(t *testing.T, flux *parts.Flux, settled []cluster.Object, refused map[string]refusal) {
	t.Helper()
	dir, stderr, err := c.ours(t)
	if (err != nil) != (len(refused) > 0) && c.about[unequal] == "" {
		t.Fatalf("%d are refused, and our error is %v\n%s", len(refused), err, stderr)
	}
	for name, words := range refused {
		if !saysOf(stderr, name, words.ours) && c.about[unequal] == "" {
			t.Errorf("none of our errors has %s and %q", name, words.ours)
		}
	}
	if t.Failed() {
		t.Logf("our errors:\n%s", stderr)
	}
	for _, live := range settled {
		text, err := os.ReadFile(filepath.Join(dir, live.Namespace(), live.Name()+".yaml"))
		if err != nil {
			t.Error(err)
			continue
		}
		diff := c.compare(t, flux, live, c.decrypt(t, cluster.Parse(t, text)))
		switch reason := c.about[unequal]; {
		case reason != "" && diff == "":
			t.Errorf("%s: we are equal now, and the case has a reason why we differ: %s", live, reason)
		case reason == "" && diff != "":
			t.Errorf("%s: the controller and we differ: %s", live, diff)
		}
	}
}

func (c contractCase) compare(t *testing.T, flux *parts.Flux, live cluster.Object, objects []cluster.Object) string {
	t.Helper()
	if live.Kind() == "HelmRelease" {
		return flux.CompareRelease(t, live, objects)
	}
	return flux.Compare(t, live, objects)
}

// decrypt decrypts what we print as it is in the repository; the controller applies it decrypted.
func (c contractCase) decrypt(t *testing.T, objects []cluster.Object) []cluster.Object {
	t.Helper()
	var out []cluster.Object
	for _, o := range objects {
		if o.Field("sops") != nil {
			o = c.keys.Decrypt(t, o)
		}
		out = append(out, o)
	}
	return out
}

// saysOf reports whether one paragraph of errors names an object and has some words.
func saysOf(stderr, name, words string) bool {
	for paragraph := range strings.SplitSeq(stderr, "rollstamp: ") {
		if strings.Contains(paragraph, name) && strings.Contains(paragraph, words) {
			return true
		}
	}
	return false
}
