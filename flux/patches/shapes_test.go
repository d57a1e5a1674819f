package patches_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/patches"
)

// shapes goes through the ways in which a list of patches is written, or is not.
func shapes(yield func(text string) bool) {
	values := []string{absent, "", "null", "~", "Null", "NULL", "[]", "[ ]", "[\n    ]",
		`[{patch: "- {op: remove, path: /x}", target: {kind: Job}}]`,
		"\n    - patch: |\n        - {op: remove, path: /x}\n\n      target: {kind: Job}",
		"\n  - target: {kind: Job}\n    # of others\n    patch: '[]' # theirs"}
	for _, head := range []string{kustomization, release} {
		for _, value := range values {
			for place := range 3 {
				for _, comment := range []string{"", " # behind", " # null", "\n    # below", "\n\n  # ~\n"} {
					one := block(head, value, place, comment)
					for _, text := range []string{one, strings.TrimRight(one, "\n"), strings.ReplaceAll(one, "\n", "\r\n"),
						"# first\n---\n" + one + "---\n" + other + "---\n" + one, inList(one)} {
						if !yield(text) {
							return
						}
					}
				}
				for _, style := range []string{"{%s}\n", "{ %s }", "{\n    %s\n  }\n# end\n"} {
					for _, isJSON := range []bool{false, true} {
						one := flow(head, style, value, place, isJSON)
						if !yield(one) {
							return
						}
						for _, bare := range []string{"wait", "wait: ", `'wait'`} {
							if !isJSON && !yield(strings.Replace(one, "wait: true", bare, 1)) {
								return
							}
						}
					}
				}
			}
		}
	}
}

const (
	absent = "absent"
	other  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
)

// listOf returns the key of the list of patches.
func listOf(head string) string {
	if head == release {
		return "postRenderers"
	}
	return "patches"
}

// inPlace returns entries with another one among them, unless that is absent.
func inPlace(entries []string, value, entry string, place int) []string {
	if value == absent {
		return entries
	}
	return append(append(append([]string{}, entries[:place]...), entry), entries[place:]...)
}

// block returns an object whose list stands in a block.
func block(head, value string, place int, comment string) string {
	if value != "" && value[0] != '\n' {
		value = " " + value
	}
	entry := listOf(head) + ":" + value + comment
	if strings.HasPrefix(value, "\n") {
		entry = listOf(head) + ":" + comment + value
	}
	lines := inPlace([]string{"interval: 10m # often", "wait: true"}, strings.TrimSpace(value), entry, place)
	return head + "metadata: {name: a}\nspec:\n  " + strings.Join(lines, "\n  ") + "\n"
}

// flow returns an object whose list stands between braces, or as JSON.
func flow(head, style, value string, place int, isJSON bool) string {
	if strings.HasPrefix(value, "\n") || isJSON && (value == "" || strings.Contains(value, "patch") || value == "~" || value == "Null" || value == "NULL") {
		value = "[]"
	}
	entries := inPlace([]string{"interval: 10m", "wait: true"}, value, listOf(head)+": "+value, place)
	if !isJSON {
		return head + "metadata: {name: a}\nspec: " + fmt.Sprintf(style, strings.Join(entries, ", "))
	}
	entries = inPlace([]string{`"interval": "10m"`, `"wait":true`}, value, fmt.Sprintf("%q: %s", listOf(head), value), place)
	meta := strings.NewReplacer("apiVersion: ", `"apiVersion": "`, "\nkind: ", `", "kind": "`, "\n", `", `).Replace(head)
	return "{" + meta + `"metadata": {"name": "a"}, "spec": ` + strings.TrimSuffix(fmt.Sprintf(style, strings.Join(entries, ",\n ")), "# end\n") + "}"
}

// inList returns a List with an object as its item.
func inList(object string) string {
	body := strings.ReplaceAll(strings.TrimRight(object, "\n"), "\n", "\n  ")
	return "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(body, "\n  \n", "\n\n") + "\n"
}

func TestEveryShapeOfAListComesBack(t *testing.T) {
	for text := range shapes {
		var o any
		for one := range strings.SplitSeq(text, "---\n") {
			if err := yaml.UnmarshalStrict([]byte(one), &o); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		wanted := []patches.Stamps{deployment("web", "v1-1"), deployment("worker", "v1-2")}
		with := write(t, text, wanted...)
		if n := strings.Count(with, "configmap.web: v1-1"); n != strings.Count(text, "toolkit.fluxcd.io") {
			t.Fatalf("%d patches are in\n%s", n, with)
		}
		if again := write(t, with, wanted...); again != with {
			t.Fatalf("a second time it becomes\n%s", again)
		}
		for _, later := range []string{
			with, write(t, with, deployment("worker", "v1-2")), write(t, with, append(wanted, deployment("third", "v1-3"))...),
		} {
			if back := remove(t, later); back != text {
				t.Fatalf("%q becomes\n%q, and without patches\n%q", text, later, back)
			}
		}
	}
}
