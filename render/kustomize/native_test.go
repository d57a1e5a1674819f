package kustomize_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// buildBy renders a kustomization in one way.
func buildBy(way config.KustomizeEngine, dir string) (*render.Output, error) {
	opts := render.KustomizeOptions{LoadRestrictor: unrestricted}
	return kustomize.Engine{Way: way}.Render(context.Background(), render.Request{Path: dir, Kustomize: opts})
}

// compare returns why a kustomization that builds was left to the library, "" where it was not.
func compare(t *testing.T, dir string) (builds bool, declined string) {
	t.Helper()
	builds, declined, _ = compareTimed(t, dir)
	return builds, declined
}

// compareTimed is compare, with how long kustomize's library and the native way took.
func compareTimed(t *testing.T, dir string) (builds bool, declined string, took [2]time.Duration) {
	t.Helper()
	start := time.Now()
	want, errWant := buildBy(config.KustomizeLibrary, dir)
	took[0], start = time.Since(start), time.Now()
	got, errGot := buildBy(config.KustomizeNative, dir)
	took[1] = time.Since(start)
	switch {
	case errWant != nil && errGot == nil:
		t.Errorf("%s: built, and the library says: %v", dir, errWant)
	case errWant == nil && errGot != nil:
		t.Errorf("%s: the library builds it, and: %v", dir, errGot)
	case errWant != nil:
		// of several such errors, the library reports another one each time
		const anyOf = "found multiple possible referrals"
		if a, b := errGot.Error(), errWant.Error(); a != b && !(strings.Contains(a, anyOf) && strings.Contains(b, anyOf)) {
			t.Errorf("%s: fails with %v, and by the library with %v", dir, errGot, errWant)
		}
	case !bytes.Equal(got.Text, want.Text):
		t.Errorf("%s: differs from the library at %s", dir, firstDifference(got.Text, want.Text))
	}
	if errWant != nil || errGot != nil {
		return false, "", took
	}
	known := got.Locator.Origins(got.Text)
	for i, looked := range want.Locator.Origins(want.Text) {
		if looked.File != "" && known[i] != looked && !t.Failed() {
			t.Errorf("%s: object %d is from %+v, and by its name from %+v", dir, i, known[i], looked)
		}
	}
	_, declined, _ = strings.Cut(got.Why, "because of ")
	return true, declined, took
}

func TestTheNativeWayBuildsWhatTheLibraryDoes(t *testing.T) {
	for _, root := range append(filepath.SplitList(os.Getenv("ROLLSTAMP_TREES")), "../../testdata", "../../examples") {
		built, why := 0, map[string]int{}
		var library, native time.Duration
		for _, dir := range kustomizationsBelow(t, root) {
			builds, declined, took := compareTimed(t, dir)
			library, native = library+took[0], native+took[1]
			if builds {
				built++
				why[declined]++
			}
		}
		t.Logf("%s: %d of %d are built in the native way; %v, and %v by the library", root, why[""], built, native, library)
		for _, reason := range slices.Sorted(maps.Keys(why)) {
			if reason != "" {
				t.Logf("%4d %s", why[reason], reason)
			}
		}
	}
}

// TestTheNativeWayRefusesWhatTheLibraryRefuses has what a build could do without looking at.
func TestTheNativeWayRefusesWhatTheLibraryRefuses(t *testing.T) {
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
	for name, c := range map[string]struct{ object, fields string }{
		"text on the way to names, none of which changes": {head + "spec: text\n", ""},
		"a text instead of an object with a name":         {"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nimagePullSecrets: [a]\n", ""},
		"a webhook's service without a name": {"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" +
			"metadata: {name: a}\nwebhooks: [{clientConfig: {service: {}}}]\n", ""},
		"an escape of JSON":                      {head + "spec: {paused: \"\\/\"}\n", ""},
		"half a character, escaped":              {head + "spec: {paused: \"\\ud83d\"}\n", ""},
		"a control character in a label":         {head, "labels: [{pairs: {a: \"\\x7f\"}}]\n"},
		"a control character in a prefix":        {head, "namePrefix: \"\\x7f\"\n"},
		"an order of kinds that is not in force": {head, "sortOptions: {order: fifo, legacySortOptions: {orderFirst: [Deployment]}}\n"},
		"a control character in an annotation":   {head, "commonAnnotations: {a: \"\\x7f\"}\n"},
		"two objects of one name between two patches": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\n" +
			"metadata: {name: b, labels: {c: d}}\n", "patches:\n" +
			"- patch: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\"\n  target: {kind: ConfigMap}\n  options: {allowNameChange: true}\n" +
			"- patch: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: y}}\"\n  target: {labelSelector: c=d}\n  options: {allowNameChange: true}\n"},
		"two objects of one name when they are sorted": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\n" +
			"metadata: {name: b}\n", "patches:\n- patch: \"[{op: replace, path: /metadata/name, value: x}]\"\n  target: {kind: ConfigMap}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"all.yaml": c.object, "kustomization.yaml": "resources: [all.yaml]\n" + c.fields} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := stockBuild(dir); err == nil {
				t.Fatal("kustomize builds it")
			}
			if builds, _ := compare(t, dir); builds {
				t.Error("it builds")
			}
		})
	}
}
