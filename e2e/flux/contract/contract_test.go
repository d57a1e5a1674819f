// Package contract holds the build of Flux's objects against the real controllers: a case is a repository, and what the
// controllers apply of it is what we print, object by object; or both refuse it.
package contract

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

func TestWhatTheControllersApplyIsWhatWePrint(t *testing.T) {
	// Before there is anything to wait for: what is compiled the first time leaves the controllers little of a machine.
	parts.CLI(t)
	process.Rollstamp(t)
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
	for _, o := range c.found(t) {
		settled = append(settled, flux.AwaitReady(t, o))
	}
	c.compareOurs(t, flux, settled, refused)
	if c.keys != nil && len(settled) > 0 {
		c.compareStamps(t, flux, settled)
	}
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
	dir, stderr, err := c.ours(t, "--no-stamp")
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
		diff := c.compare(t, flux, live, c.decrypt(t, flux, cluster.Parse(t, text)))
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

// decrypt decrypts what we print as it is in the repository; the controller applies it decrypted. What only the
// controller has in clear, values of generators and with variables, is that of the cluster: the stamps are held against
// it.
func (c contractCase) decrypt(t *testing.T, flux *parts.Flux, objects []cluster.Object) []cluster.Object {
	t.Helper()
	var out []cluster.Object
	for _, o := range objects {
		if o.Field("sops") != nil {
			o = c.keys.Decrypt(t, o)
		}
		if c.keys != nil && o.Kind() == "Secret" && !isClear(o) {
			o = withValues(t, o, flux.Live(t, o))
		}
		out = append(out, o)
	}
	return out
}

// isClear reports whether no value of a Secret is encrypted or has a variable.
func isClear(secret cluster.Object) bool {
	data, _ := secret["data"].(map[string]any)
	for _, value := range data {
		text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(fmt.Sprint(value)), ""))
		if err != nil || bytes.Contains(text, []byte("ENC[")) {
			return false // the ciphertext itself is no base64
		}
	}
	return !strings.Contains(fmt.Sprint(secret["stringData"]), "${")
}

// withValues is a Secret with the values of another one that has the same keys.
func withValues(t *testing.T, secret, live cluster.Object) cluster.Object {
	t.Helper()
	keys := map[string]bool{}
	for _, field := range []string{"data", "stringData"} {
		values, _ := secret[field].(map[string]any)
		for key := range values {
			keys[key] = true
		}
	}
	values, _ := live["data"].(map[string]any)
	if got, want := slices.Sorted(maps.Keys(keys)), slices.Sorted(maps.Keys(values)); !slices.Equal(got, want) {
		t.Errorf("%s has the keys %v, and %v in the cluster", secret, got, want)
	}
	out := maps.Clone(secret)
	delete(out, "stringData")
	out["data"] = values
	return out
}

// compareStamps holds the stamps of what is encrypted in the repository against those of what lies in the cluster.
func (c contractCase) compareStamps(t *testing.T, flux *parts.Flux, settled []cluster.Object) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "hash-key")
	if err := os.WriteFile(key, []byte("sixteen bytes or more"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, stderr, err := c.ours(t, "--hash-key-file", key)
	words := strings.TrimSpace(c.about[unwritten])
	if (err != nil) != (words != "") || !strings.Contains(stderr, words) {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, live := range settled {
		text, err := os.ReadFile(filepath.Join(dir, live.Namespace(), live.Name()+".yaml"))
		if words != "" { // what is printed is not kept
			text, stderr, err = c.print(t, "--hash-key-file", key)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		ours := cluster.Parse(t, text)
		var there strings.Builder
		for _, o := range ours {
			object, err := yaml.Marshal(flux.Live(t, o))
			if err != nil {
				t.Fatal(err)
			}
			there.WriteString("---\n" + string(object))
		}
		cmd := exec.Command(process.Rollstamp(t), "stamp", "-", "--hash-key-file", key)
		cmd.Stdin = strings.NewReader(there.String())
		stamped, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, want := stampsOf(ours), stampsOf(cluster.Parse(t, stamped))
		compared := len(want) > 0
		maps.DeleteFunc(want, func(stamp, _ string) bool { // what is decrypted has no stamp where its name has the hash
			_, ours := got[stamp]
			return !ours && ofHashedName.MatchString(stamp)
		})
		if !compared || !maps.Equal(got, want) {
			t.Errorf("%s: stamps are %v, and %v of what is in the cluster", live, got, want)
		}
	}
}

// ofHashedName matches stamps of Secrets whose names end in a hash of kustomize.
var ofHashedName = regexp.MustCompile(`/secret\.\S*-[0-9a-z]{10}$`)

// stampsOf returns the annotations of pod templates that are stamps.
func stampsOf(objects []cluster.Object) map[string]string {
	out := map[string]string{}
	for _, o := range objects {
		annotations, _ := o.Field("spec", "template", "metadata", "annotations").(map[string]any)
		for key, value := range annotations {
			if strings.HasPrefix(key, "checksum.rollstamp.dev/") {
				out[o.String()+" "+key] = fmt.Sprint(value)
			}
		}
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
