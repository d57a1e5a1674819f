package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/diag"
)

// found returns the findings of a text in a file, each as "severity: LINE message".
func found(t *testing.T, file, text string) (out []string) {
	t.Helper()
	all, err := lint.File(file, []byte(text), rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		out = append(out, fmt.Sprintf("%s: %d %s (%s)", f.Severity, f.Line, f.Message, f.Hint))
	}
	return out
}

// change is a change of what install prints, as a user may make it, and the finding that it has to have where it is.
type change struct {
	form, from, to string
	severity       diag.Severity
	want           string
}

// lineOf returns the line of a text in which a part of it ends.
func lineOf(text, part string) int {
	return strings.Count(text[:strings.Index(text, part)+len(strings.TrimRight(part, "\n"))], "\n") + 1
}

func TestChangesOfWhatInstallPrintsAreFoundAtTheirLines(t *testing.T) {
	forms := installed(t)
	for _, c := range []change{
		// Files that lie elsewhere, or are folders.
		{"patch", "value: /etc/rollstamp/policy/policy.yaml", "value: /opt/rules/policy.yaml", diag.Failure,
			"nothing is mounted at /opt/rules/policy.yaml, but at /etc/rollstamp/policy: the policy file"},
		{"patch", "mountPath: /etc/rollstamp/policy\n",
			"mountPath: /etc/rollstamp/policy/policy.yaml\n", diag.Failure,
			"is a folder, because its mount has no subPath, and has to be the policy file (subPath: policy.yaml)"},
		{"patch", "mountPath: /etc/rollstamp/key\n", "mountPath: /etc/rollstamp/key/hash-key\n", diag.Failure,
			"has to be the file with the hash key (subPath: hash-key)"},
		{"patch", "config/plugin.yaml\n          subPath: plugin.yaml\n", "config/plugin.yaml\n", diag.Failure,
			"has to be the plugin's file (subPath: plugin.yaml)"},
		{"helm", "config/plugin.yaml\n      subPath: rollstamp.yaml\n", "config/plugin.yaml\n", diag.Failure,
			"has to be the plugin's file (subPath: rollstamp.yaml)"},
		{"patch", "value: /etc/rollstamp/policy/policy.yaml",
			"valu: /etc/rollstamp/policy/policy.yaml", diag.Warning,
			"containers[].env[].valu has no effect"},
		{"patch", "- name: ROLLSTAMP_POLICY\n          value:",
			"- name: ROLLSTAMP_POLICY # a\n          valu:", diag.Warning,
			"ROLLSTAMP_POLICY names no file"},
		{"patch", "- name: ROLLSTAMP_HASH_KEY_FILE\n          value:",
			"- name: ROLLSTAMP_HASH_KEY_FILE # a\n          valu:", diag.Failure,
			"ROLLSTAMP_HASH_KEY_FILE names no file, and each render is refused"},
	} {
		before := forms[c.form]
		text := strings.Replace(before, c.from, c.to, 1)
		if text == before {
			t.Fatalf("%s has no %q", c.form, c.from)
		}
		all := found(t, "f.yaml", text)
		isThere := func(f string) bool {
			return strings.HasPrefix(f, string(c.severity)+": ") && strings.Contains(f, c.want)
		}
		if !slices.ContainsFunc(all, isThere) {
			t.Errorf("%s with %q: want %s, got %v", c.form, c.to, c.want, all)
		}
		first, last := lineOf(text, strings.SplitAfter(c.to, "\n")[0]), lineOf(text, c.to)
		for _, f := range all {
			var line int
			if _, err := fmt.Sscanf(f[strings.Index(f, ": ")+2:], "%d", &line); err != nil {
				t.Fatal(err)
			}
			if isThere(f) && (line < first || line > last) {
				t.Errorf("%s with %q: %s is not in lines %d to %d", c.form, c.to, f, first, last)
			}
		}
	}
}

// The hash key may come with a flag.
func TestTheHashKeyThatAFlagNamesIsTaken(t *testing.T) {
	forms := installed(t)
	without := func(text string) string {
		before, after, _ := strings.Cut(text, "        - name: ROLLSTAMP_HASH_KEY_FILE\n")
		_, after, _ = strings.Cut(after, "\n")
		return before + after
	}
	const file = "/etc/rollstamp/key/hash-key"
	serve := strings.Replace(without(forms["patchserve"]), "--name,", "--hash-key-file, "+file+", --name,", 1)
	expect(t, check(t, serve))
	expect(t, check(t, strings.Replace(serve, file, "/etc/key", 1)), fmt.Sprintf(
		"%d sidecar-hash-key /etc/key does not lie on a volume that is a Secret", lineOf(serve, "args: ")))
	expect(t, check(t, strings.Replace(without(forms["patch"]), "generate]", "generate, --hash-key-file, "+file+"]", 1)))
}
