package patches_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/refs"
)

const bare = `apiVersion: apps/v1
kind: Deployment
metadata: {name: p-web, namespace: one}
spec:
  template:
    metadata: {annotations: {checksum/config: x, other: y, checksum.rollstamp.dev/secret.old: v1-0}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: p-web, namespace: two}
spec: {template: {}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: p-job}
spec: {jobTemplate: {spec: {template: {}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: hook, annotations: {helm.sh/hook: pre-install}}
spec: {template: {metadata: {annotations: {checksum.rollstamp.dev/secret.a: v1-0}}}}
---
apiVersion: example.com/v1
kind: Many
metadata: {name: many}
pods: [{template: {}}]
`

func TestStampsAreFoundByTheNamesThatPatchesSee(t *testing.T) {
	stamped := strings.NewReplacer(
		"checksum/config: x, ", "", "secret.old: v1-0", "secret.new: v1-1",
		"two}\nspec: {template: {}}", "two}\nspec: {template: {metadata: {annotations: {checksum.rollstamp.dev/a: v1-2}}}}",
		"{jobTemplate: {spec: {template: {}}}}",
		"{jobTemplate: {spec: {template: {metadata: {annotations: {checksum.rollstamp.dev/a: v1-3}}}}}}",
		"[{template: {}}]", "[{template: {metadata: {annotations: {checksum.rollstamp.dev/a: v1-4}}}}]",
	).Replace(bare)
	kinds := refs.NewTable(config.MaxLevel, nil)
	found, err := patches.Find([]byte(bare), []byte(stamped), kinds, hashing.Prefix{},
		func(name string) string { return strings.TrimPrefix(name, "p-") })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found.Stamps {
		got = append(got, fmt.Sprint(s.Kind, " ", s.Namespace, "/", s.Name, " ", s.Places))
	}
	want := []string{
		"Deployment one/web [{[spec template metadata annotations] [{checksum.rollstamp.dev/secret.new v1-1}] [checksum/config] " +
			"[{checksum.rollstamp.dev/secret.old v1-0}]}]",
		"Deployment two/web [{[spec template metadata annotations] [{checksum.rollstamp.dev/a v1-2}] [] []}]",
		"CronJob /job [{[spec jobTemplate spec template metadata annotations] [{checksum.rollstamp.dev/a v1-3}] [] []}]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(found.Other) != 0 {
		t.Errorf("others are %v", found.Other) // a kind that nobody knows has no stamps of ours
	}
}

func TestWhatAPatchRemovedStaysRemoved(t *testing.T) {
	const before = kustomization + "metadata: {name: a}\nspec:\n  path: x\n"
	s := deployment("web", "v1-1")
	s.Places[0].Remove = []string{"checksum/config"}
	first := write(t, before, s)
	next := deployment("web", "v1-2")
	if got := write(t, first, next); strings.Contains(got, "checksum/config") {
		t.Errorf("it is not asked for any more:\n%s", got)
	}
	next.KeepsRemoved = true
	if got := write(t, first, next); got != strings.Replace(first, "v1-1", "v1-2", 1) {
		t.Errorf("got\n%s", got)
	}
}
