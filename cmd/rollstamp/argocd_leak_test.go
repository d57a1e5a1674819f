package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCanaryLeavesArgoCDsObjects puts random values where Applications may hold secrets, and looks for them in all
// that is said.
func TestNoCanaryLeavesArgoCDsObjects(t *testing.T) {
	canary := "cnry" + rand.Text()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("repo/chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n")
	write("repo/chart/templates/s.yaml",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: {{ .Values.password }}, r: {{ "+
			"randAlpha 5 }}}\n{{ if .Values.fail }}{{ fail .Values.password }}{{ end }}\n")
	write("repo/files/bad.yaml", "- "+canary+"\n")
	write("repo/files/one.yaml", "name: "+canary+"\n")
	head := func(kind string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: web, namespace: argocd}\nspec:\n"
	}
	source := func(rest string) string {
		return head("Application") + "  source: {repoURL: 'https://git.example.org/r', path: chart" + rest + "}\n  destination: {namespace: shop}\n"
	}
	set := func(generators, path string) string {
		return head("ApplicationSet") + "  goTemplate: true\n  goTemplateOptions: [missingkey=error]\n  generators:\n  - " + generators + "\n  template:\n    metadata: {name: x}\n    spec:\n      source: {repoURL: 'https://git.example.org/r', path: '" + path + "'}\n      destination: {}\n"
	}
	objects := map[string]string{
		"values":              source(", helm: {values: 'password: " + canary + "'}"),
		"values that fail":    source(", helm: {valuesObject: {password: " + canary + ", fail: true}}"),
		"values of no form":   source(", helm: {values: '{" + canary + "'}"),
		"a wrong type":        source(", helm: {values: {a: " + canary + "}}"),
		"a wrong list":        source(", helm: {parameters: {a: " + canary + "}}"),
		"parameters":          source(", helm: {parameters: [{name: password, value: " + canary + "}, {name: fail, value: 'true'}]}"),
		"a bad parameter":     source(", helm: {parameters: [{name: 'password[', value: " + canary + "}]}"),
		"a plugin":            source(", plugin: {name: rollstamp, env: [{name: ROLLSTAMP_PASSWORD, value: " + canary + "}], parameters: [{name: values, string: 'password: " + canary + "'}]}"),
		"a plugin's mistake":  source(", plugin: {name: rollstamp, parameters: [{name: parameters, string: " + canary + "}]}"),
		"a plugin's nonsense": source(", plugin: {name: rollstamp, parameters: {a: " + canary + "}}"),
		"credentials":         strings.ReplaceAll(source(""), "https://git.example.org/r", "https://user:"+canary+"@git.example.org/other?x="+canary),
		"a chart's":           strings.ReplaceAll(source(""), "'https://git.example.org/r', path: chart", "'https://"+canary+"@charts.example.org', chart: c"),
		"elements":            set("list: {elements: ["+canary+"]}", "p"),
		"elements as text":    set("list: {elementsYaml: '{"+canary+"'}", "p"),
		"a function":          set("list: {elements: [{a: '["+canary+"'}]}", "{{ fromYaml .a }}"),
		"a failing function":  set("list: {elements: [{a: "+canary+"}]}", "{{ fail .a }}"),
		"a number":            set("list: {elements: [{a: "+canary+"}]}", "{{ add1 .a | int64 | div 0 }}"),
		"keys":                set("merge: {mergeKeys: [a], generators: [{list: {elements: [{a: "+canary+"}, {a: "+canary+"}]}}, {list: {}}]}", "p"),
		"a file":              set("git: {repoURL: 'https://git.example.org/r', revision: HEAD, files: [{path: files/bad.yaml}]}", "p"),
		"two generators":      strings.Replace(set("matrix: {generators: [{list: {elements: [{a: x"+canary+"}]}}, {list: {elements: [{a: y"+canary+"}]}}]}", "p"), "goTemplate: true", "goTemplate: false", 1),
		"no YAML":             head("Application") + "  a: \"" + canary + "\n",
		"a tab":               head("Application") + "\ta: " + canary + "\n",
		"an anchor":           head("Application") + "  source: &a {path: p, helm: {values: *" + canary + "}}\n",
	}
	commands := [][]string{{"render", "-v"}, {"render", "--no-stamp", "--recursive"}, {"render", "--applications"}, {"convert"}, {"convert", "--check"}}
	said := 0
	for name, text := range objects {
		for _, command := range commands {
			args := append([]string{"argocd"}, command...)
			args = append(args, "--repo", "https://git.example.org/r="+filepath.Join(dir, "repo"), write("object.yaml", text))
			var out, errs bytes.Buffer
			run(context.Background(), args, func(string) (string, bool) { return "", false }, streamsOf(&out, &errs))
			said += errs.Len()
			for _, leak := range forms(canary) {
				if strings.Contains(errs.String(), leak) {
					t.Errorf("%s, %v shows %q:\n%s", name, args, leak, errs.String())
				}
			}
			if strings.Contains(errs.String(), "internal fault") {
				t.Errorf("%s, %v: %s", name, args, errs.String())
			}
		}
	}
	if said < 1000 {
		t.Errorf("only %d bytes were said", said)
	}
}
