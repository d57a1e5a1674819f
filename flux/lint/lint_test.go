package lint_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/lint"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// build builds a kustomization of files, by their names.
func build(t *testing.T, tree map[string]string) *render.Output {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := kustomize.Engine{}.Render(t.Context(), render.Request{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// replace is a transform that puts a variable into a render.
func replace(name, value string) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		with := *out
		with.Text = []byte(strings.ReplaceAll(string(out.Text), "${"+name+"}", value))
		return &with, nil
	}
}

func codes(fs []diag.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, string(f.Code)+" "+f.Object)
	}
	return strings.Join(out, "; ")
}

func TestAGeneratorsNameIsReportedWhereVariablesChangeItsContent(t *testing.T) {
	out := build(t, map[string]string{
		"kustomization.yaml": `
namespace: shop
configMapGenerator:
- name: with
  literals: ['url=https://${env}.example.com', 'port=80']
- name: without
  literals: [port=80]
secretGenerator:
- name: encoded
  literals: ['password=${env}']
resources: [own.yaml]
`,
		"own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: own-2456789bcd\ndata:\n  a: ${env}\n",
	})
	got, err := lint.Substitution(kustomization(), replace("env", "prod"))(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 1 || got.Findings[0].Code != diag.FluxSuffix || got.Findings[0].Line == 0 ||
		!strings.HasPrefix(got.Findings[0].Object, "ConfigMap shop/with-") {
		t.Errorf("found %+v", got.Findings)
	}
	if len(out.Findings) > 0 {
		t.Error("the render itself has changed")
	}
}

// kustomization is what is built.
func kustomization() *objects.Kustomization {
	return &objects.Kustomization{Meta: objects.Meta{Kind: "Kustomization", Namespace: "flux-system", Name: "apps"}}
}

func TestWhatWasRenderedForFluxIsReportedWhereVariablesArePutIn(t *testing.T) {
	const byUs = "\n    kustomize.toolkit.fluxcd.io/name: shop"
	configMap := func(labels, value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  labels:\n    a: b" + labels + "\ndata:\n  a: " + value + "\n"
	}
	one, all := "flux-variables-twice ConfigMap c", "flux-rendered-before Kustomization flux-system/apps"
	for text, want := range map[string]string{
		configMap("", "${env}"):    "",
		configMap(byUs, "x"):       all,
		configMap(byUs, "${env}"):  one + "; " + all,
		configMap(byUs, "${none}"): one + "; " + all, // no value is known of it here
		configMap(byUs, "pa$$ss"):  one + "; " + all,
		configMap(byUs, "$${env}"): one + "; " + all,
		configMap(byUs+"\n    kustomize.toolkit.fluxcd.io/substitute: disabled", "${env}"): all,
		configMap(byUs, "x") + "---\n" + configMap("", "${env}"):                           all,
	} {
		vars := map[string]substitute.Var{"env": {Value: "prod"}}
		transform := substitute.Variables(vars, substitute.Options{Strict: true, KeepMissing: true})
		got, err := lint.Substitution(kustomization(), transform)(t.Context(), &render.Output{Text: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		ours := slices.DeleteFunc(got.Findings, func(f diag.Finding) bool { return f.Code == diag.MissingVariable })
		if codes(ours) != want {
			t.Errorf("%s\nhas %q; want %q", text, codes(ours), want)
		}
	}
}

func TestWhereNothingIsSubstitutedNothingIsSubstitutedTwice(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {kustomize.toolkit.fluxcd.io/name: a}}\ndata: {a: \"${b}\"}\n"
	transform := substitute.Variables(nil, substitute.Options{Strict: true}) // postBuild without a variable
	got, err := lint.Substitution(kustomization(), transform)(t.Context(), &render.Output{Text: []byte(text)})
	if err != nil || len(got.Findings) > 0 {
		t.Errorf("found %s, %v", codes(got.Findings), err)
	}
}

func TestWorkloadsWhoseNamesChangeAreReported(t *testing.T) {
	deployment := func(name string) string {
		return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + name + "\n"
	}
	out := &render.Output{
		Text:         []byte(deployment("web") + deployment("worker-a1b2") + deployment("worker")),
		SecondRender: []byte(deployment("worker-c3d4")), // the others cannot differ
	}
	got, err := lint.Renamed(config.MaxLevel, nil)(t.Context(), out)
	if err != nil || codes(got.Findings) != "flux-workload-renamed Deployment worker-a1b2" {
		t.Errorf("found %s, %v", codes(got.Findings), err)
	}
	same, err := lint.Renamed(config.MaxLevel, nil)(t.Context(), &render.Output{Text: out.Text, SecondRender: out.Text})
	if err != nil || len(same.Findings) > 0 {
		t.Errorf("equal renders: %s, %v", codes(same.Findings), err)
	}
}

func TestValuesThatFluxDoesNotWatchAreReported(t *testing.T) {
	by := objects.Meta{Kind: "HelmRelease", Namespace: "shop", Name: "web"}
	if f, ok := lint.Unwatched(by, "ConfigMap shop/values", nil); !ok || f.Object != "HelmRelease shop/web" {
		t.Errorf("found %+v, %v", f, ok)
	}
	if f, ok := lint.Unwatched(by, "ConfigMap shop/values", map[string]string{"reconcile.fluxcd.io/watch": "Enabled"}); ok {
		t.Errorf("found %+v", f)
	}
}

func TestABuildThatFailsLeadsToTheFieldOfTheKustomization(t *testing.T) {
	k := &objects.Kustomization{Meta: objects.Meta{Kind: "Kustomization", Name: "app", Pos: diag.Position{File: "app.yaml", Line: 3}}}
	k.Spec.TargetNamespace = "shop"
	for _, text := range []string{"- {op: add, path: /data/a, value: b}", "- {op: replace, path: /data/none/x, value: b}"} {
		k.Spec.Patches = append(k.Spec.Patches, objects.Patch{Patch: text})
	}
	for built, want := range map[*render.BuildError]string{
		{Cause: render.PatchedPath, Path: "/data/none/x", Text: "replace operation"}: "Kustomization app: app.yaml:3: spec.patches[1]: replace operation",
		{Cause: render.PatchedPath, Path: "/of/a/file", Text: "replace operation"}:   "apps: replace operation",
		{Cause: render.PatchedPath, Text: "replace operation"}:                       "apps: replace operation",
		{Cause: render.NamespaceConflict, Text: "namespace transformation"}:          "Kustomization app: app.yaml:3: namespace transformation",
		{Text: "anything else"}: "apps: anything else",
	} {
		err := diag.Input(diag.Position{File: "apps"}, built, "")
		err = lint.FailedNamespace(k, lint.FailedPatch(k, err))
		if !strings.HasPrefix(err.Error(), want) || strings.HasPrefix(want, "Kustomization") != (diag.HintOf(err) != "") {
			t.Errorf("%v; hint: %s", err, diag.HintOf(err))
		}
	}
}
