package stamp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// annotationStyles are ways to write annotations of a pod template, and templateStyles ways to begin one.
var (
	annotationStyles = []string{"annotations:", "annotations: # c", "annotations: null", "annotations: ~ # c",
		"annotations: {}", "annotations: { }", "annotations: {  }", "annotations: {a: b}", "annotations: { a: b }",
		"annotations: {a: b,}", "annotations: { # c\n  a: b}", "annotations: {\n  a: b\n}", "annotations: {\n}",
		"annotations:\n  # c\n  a: b", "annotations:\n    a: b", "annotations: &n\n  a: b", "annotations: &n {a: b}",
		"annotations: &n {}", "annotations: {\"a\": \"b\"}", "'annotations':\n  'a': b"}
	metadataStyles = []string{"metadata:", "metadata: # c", "metadata: null", "metadata: {}", "metadata: { }",
		"metadata: {labels: {a: b}}", "metadata: { labels: {a: b} }", "metadata: { # c\n  labels: {a: b}}",
		"metadata: {\n}", "metadata:\n  labels: {a: b}", "metadata: &m {labels: {a: b}}", "metadata: &m {}"}
	flowStyles = []string{"annotations: null", "annotations: ~", "annotations: Null", "annotations: NULL",
		"annotations: {}", "annotations: { }", "annotations: {a: b}", "annotations: { a: b }",
		"annotations: &n {a: b}", "annotations: {a: b,}"}
	templateStyles = []string{"template:", "template: &t", "template: !!map", "template: # c"}
	openings       = []string{"{", "{ ", "&t {", "{ # c\n ", "{\n ", "!!map {"}
)

const podSpec = "spec: {containers: [{name: c, envFrom: [{configMapRef: {name: c}}]}]}"

// indented returns lines with a margin.
func indented(margin, lines string) string {
	return margin + strings.ReplaceAll(lines, "\n", "\n"+margin)
}

// blockTemplates returns pod templates in block style, below all that can come before and behind them.
func blockTemplates() (out []string) {
	metadata := slices.Clone(metadataStyles)
	for _, a := range annotationStyles {
		metadata = append(metadata, "metadata:\n"+indented("  ", a), "metadata:\n  labels: {a: b}\n"+indented("  ", a),
			"metadata: # m\n"+indented("    ", a+"\nlabels: {a: b}"))
	}
	for _, a := range flowStyles {
		metadata = append(metadata, "metadata: {"+a+"}", "metadata: { "+a+" }", "metadata: {"+a+", labels: {a: b}}",
			"metadata: {labels: {a: b}, "+a+"}", "metadata: {\n  "+a+"\n}", "metadata: { # c\n  "+a+"}",
			"metadata: {"+a+" # c\n  }", "metadata: {"+a+",labels: {a: b}}")
	}
	for _, m := range metadata {
		for _, t := range templateStyles {
			out = append(out, t+"\n"+indented("  ", m+"\n"+podSpec), t+"\n"+indented("  ", podSpec+"\n"+m))
		}
	}
	for _, t := range templateStyles {
		out = append(out, t+"\n  "+podSpec)
	}
	return out
}

// flowTemplates returns pod templates between braces, as YAML and, where they can be, as JSON.
func flowTemplates() (out []string) {
	metadata := []string{"metadata: {}", "metadata: { }", "metadata: null", "metadata: ~", "metadata: &m {}",
		"metadata: {labels: {a: b}}", "metadata: { labels: {a: b} }"}
	for _, a := range flowStyles {
		metadata = append(metadata, "metadata: {"+a+"}", "metadata: {"+a+", labels: {a: b}}", "metadata: { "+a+" }",
			"metadata: {labels: {a: b}, "+a+"}", "metadata: {\n "+a+"}", "metadata: { # c\n "+a+"}")
	}
	words := strings.NewReplacer("metadata", `"metadata"`, "annotations", `"annotations"`, "labels", `"labels"`,
		"a:", `"a":`, "b}", `"b"}`, "spec:", `"spec":`, "containers", `"containers"`, "name:", `"name":`, "c,", `"c",`,
		"c}", `"c"}`, "envFrom", `"envFrom"`, "configMapRef", `"configMapRef"`)
	for _, m := range metadata {
		for _, both := range []string{m + ", " + podSpec, podSpec + ", " + m, podSpec} {
			for _, open := range openings {
				end := "}"
				if strings.HasSuffix(open, " ") {
					end = " }"
				}
				out = append(out, "template: "+open+both+end)
			}
			if !strings.ContainsAny(both, "#~&") && !strings.Contains(both, "N") && !strings.Contains(both, "b,}") {
				json := words.Replace(both)
				out = append(out, "template: {"+json+"}", "template: {\n  "+strings.ReplaceAll(json, ", ", ",\n  ")+"\n}",
					"template: { "+strings.ReplaceAll(json, ": ", ":")+" }")
			}
		}
	}
	return out
}

func TestUnstampGivesBackEveryStyle(t *testing.T) {
	t.Parallel()
	const objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n" +
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n"
	stamped, encodedAgain := 0, 0
	try := func(text string) {
		p, err := planOf(t, []byte(text), Options{})
		if err != nil || len(p.Edits) == 0 {
			return
		}
		stamped++
		again := slices.ContainsFunc(p.Findings, func(f diag.Finding) bool { return f.Code == diag.Reencoded })
		back, err := Unstamp(context.Background(), bytesOf(t, p), Options{})
		switch {
		case err != nil:
			t.Errorf("%v\n%s", err, text)
		case again:
			encodedAgain++
		case string(back) != text:
			t.Errorf("\n%s\nwas stamped\n%s\nand came back as\n%s", text, bytesOf(t, p), back)
		}
	}
	for _, template := range slices.Concat(blockTemplates(), flowTemplates()) {
		text := objects + "spec:\n" + indented("  ", template) + "\n"
		try(text)
		try(strings.ReplaceAll(text, "\n", "\r\n"))
		try(strings.TrimSuffix(text, "\n"))
	}
	for _, template := range flowTemplates() {
		try(objects + "spec: {replicas: 1, " + template + "}\n")
		try(objects + "spec: {" + template + "}\n")
	}
	if stamped < 3000 || encodedAgain > stamped/10 {
		t.Errorf("of %d texts %d were encoded again", stamped, encodedAgain)
	}
	t.Logf("%d texts, of which %d were encoded again", stamped, encodedAgain)
}
