package contract

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

// expressions are what may stand in a manifest behind "x: ", each in a ConfigMap and a Kustomization of its own. The
// controller says why it refuses one; where there is no reason it does not.
var expressions = []struct{ text, refused string }{
	{`${V}`, ""},
	{`"${V}"`, ""},
	{`"a-${V}-${W}-b"`, ""},
	{`"${V}${V}"`, ""},
	{`"${NONE:=default}"`, ""},
	{`"${NONE:-default}"`, ""},
	{`"${NONE=default}"`, ""},
	{`"${NONE-default}"`, "missing closing brace"},
	{`"${EMPTY:=default}"`, ""},
	{`"${EMPTY=default}"`, ""},
	{`"${NONE:=}"`, ""},
	{`"${NONE:=${V}}"`, ""},
	{`"${V:0:2}"`, ""},
	{`"${V:1}"`, ""},
	{`"${V/a/b}"`, ""},
	{`"${V//a/b}"`, ""},
	{`"${V^}"`, ""},
	{`"${V^^}"`, ""},
	{`"${V,}"`, ""},
	{`"${V,,}"`, ""},
	{`"${V%.txt}"`, ""},
	{`"${V%%.*}"`, ""},
	{`"${V#ba}"`, ""},
	{`"${V##*a}"`, ""},
	{`"length ${#V}"`, ""},
	{`"$V"`, ""},
	{`"$$V"`, ""},
	{`"$${V}"`, ""},
	{`"$$${V}"`, ""},
	{`"$${NONE}"`, ""},
	{`"$"`, ""},
	{`"${}"`, "unable to parse variable name"},
	{`"$(V)"`, ""},
	{`"${QUOTED}"`, ""},
	{`'${QUOTED}'`, ""},
	{`"${LINES}"`, ""},
	{`"${REFERENCE}"`, ""},
	{`"${_V}"`, ""},
	{"|\n    first ${V}\n    second ${W:=w}", ""},
	{`"é ${V} ü"`, ""},
	{`"${NONE}"`, `variable not set (strict mode): "NONE"`},
	{`"${#V[@]}"`, "bad substitution"},
	{`"${V[0]}"`, "missing closing brace"},
	{`"${V.W}"`, "missing closing brace"},
	{`"${V"`, "missing closing brace"},
	{`"${ V }"`, "unable to parse variable name"},
	{`"${{ V }}"`, "unable to parse variable name"},
	{`"${.Values.x}"`, "unable to parse variable name"},
	{`"${1V}"`, `variable not set (strict mode): "1V"`},
}

// syntax is the case with one Kustomization for each expression.
func syntax(t *testing.T, flux *parts.Flux) contractCase {
	t.Helper()
	var flat, refused strings.Builder
	flat.WriteString("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: repo, namespace: CASE}\n" +
		"spec: {interval: 1h, url: GIT, ref: {branch: main}}\n")
	var files []txtar.File
	for i, e := range expressions {
		name := fmt.Sprintf("v%02d", i)
		fmt.Fprintf(&flat, `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %[1]s, namespace: CASE}
spec:
  interval: 1h
  prune: true
  path: ./%[1]s
  sourceRef: {kind: GitRepository, name: repo}
  postBuild:
    substitute:
      V: bar.txt
      W: "0123"
      _V: underscore
      EMPTY: ""
      QUOTED: 'a "quoted" value'
      LINES: "one\ntwo\n"
      REFERENCE: "${V}"
`, name)
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: CASE}\ndata:\n  x: %s\n", name, e.text)
		files = append(files, txtar.File{Name: name + "/object.yaml", Data: []byte(text)})
		if e.refused != "" {
			fmt.Fprintf(&refused, "%s: %s\n", name, e.refused)
		}
	}
	files = append(files, txtar.File{Name: objectsFile, Data: []byte(flat.String())}, txtar.File{Name: refusals, Data: []byte(refused.String())})
	return newCase(t, flux, "syntax", files)
}
