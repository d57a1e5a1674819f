package objects_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
)

const kustomization = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system, labels: {team: web}}
spec:
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
  suspend: true
  interval: 10m
  somethingNew: true
  dependsOn: [{name: infra}]
  postBuild:
    substitute: {cluster: live}
    substituteFrom: [{kind: Secret, name: vars, optional: true}]
`

const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: web}
spec:
  chart:
    spec: {chart: web, version: 1.x, sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}}
  valuesFrom: [{kind: ConfigMap, name: values}]
  values: {replicas: 2, tag: "1.10"}
`

func TestObjectsAreReadWithTheirPlaces(t *testing.T) {
	source := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: apps}\n" +
		"spec: {url: oci://registry/apps, ref: {semver: \">=1\"}}\n"
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n" + kustomization + "---\n" + release + "---\n" + source
	o, err := objects.Parse([]byte(text), "cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Kustomizations) != 1 || len(o.Releases) != 1 || len(o.Sources) != 1 || len(o.Metas()) != 3 {
		t.Fatalf("found %+v", o)
	}
	k, r, s := o.Kustomizations[0], o.Releases[0], o.Sources[0]
	if k.String() != "Kustomization flux-system/apps" || k.Pos.String() != "cluster.yaml:5" || !k.Suspend ||
		k.Labels["team"] != "web" || k.Spec.Path != "./apps" || k.Spec.DependsOn[0].Name != "infra" ||
		k.Spec.PostBuild.Substitute["cluster"] != "live" || !k.Spec.PostBuild.SubstituteFrom[0].Optional {
		t.Errorf("the Kustomization is %+v", k)
	}
	if r.Spec.Chart.Spec.Version != "1.x" || string(r.Spec.Values) != `{"replicas":2,"tag":"1.10"}` ||
		r.Spec.ValuesFrom[0].Key() != "values.yaml" || r.Pos.Line != 19 {
		t.Errorf("the HelmRelease is %+v", r)
	}
	if s.Spec.URL != "oci://registry/apps" || s.Spec.Revision.Semver != ">=1" || s.Namespace != "" {
		t.Errorf("the source is %+v", s)
	}
	if o.Settle("flux-system"); s.Namespace != "flux-system" || r.Namespace != "web" {
		t.Errorf("the namespaces are %q and %q", s.Namespace, r.Namespace)
	}
}

func TestALabelThatIsNoTextIsNoErrorAsTheControllerDropsThemAll(t *testing.T) {
	text := strings.Replace(kustomization, "labels: {team: web}", "labels: {team: web, enabled: true}", 1)
	o, err := objects.Parse([]byte(text), "x.yaml")
	if err != nil || len(o.Kustomizations) != 1 || o.Kustomizations[0].Labels != nil {
		t.Errorf("found %+v, %v", o, err)
	}
}

func TestTheItemsOfAListAreRead(t *testing.T) {
	item := "- " + strings.ReplaceAll(strings.TrimSpace(kustomization), "\n", "\n  ")
	o, err := objects.Parse([]byte("apiVersion: v1\nkind: List\nitems:\n"+item+"\n"), "list.yaml")
	if err != nil || len(o.Kustomizations) != 1 {
		t.Errorf("found %+v, %v", o, err)
	}
}

func TestWhatTheAPIServerWouldRefuseIsAnErrorWithItsPlace(t *testing.T) {
	for _, c := range []struct{ text, from, to, want string }{
		{kustomization, "path: ./apps", "path: [a]", "read spec: path is a list, which it must not be"},
		{kustomization, "cluster: live", "cluster: 3", "substitute.cluster is a number, which it must not be"},
		{kustomization, "kind: GitRepository", "kind: HelmRepository", `spec.sourceRef.kind is "HelmRepository"`},
		{kustomization, "name: flux-system}", "name: ''}", "spec.sourceRef has no name"},
		{kustomization, "kind: Secret", "kind: Config", `spec.postBuild.substituteFrom[0].kind is "Config"`},
		{kustomization, "  postBuild:", "  decryption: {provider: age}\n  postBuild:", `provider is "age"`},
		{kustomization, "    substitute:", "    substituteStrategy: Never\n    substitute:", "substituteStrategy is"},
		{kustomization, "name: apps", "name: ../apps", "is not the name of an object"},
		{release, "  chart:\n", "  chartRef: {kind: HelmChart, name: x}\n  chart:\n", "spec.chart and spec.chartRef"},
		{release, "  chart:\n", "  other:\n", "neither spec.chart nor spec.chartRef"},
		{release, "values: {replicas: 2, tag: \"1.10\"}", "values: [1]", "spec.values is not a mapping"},
		{release, "chart: web,", "", "spec.chart.spec has no chart"},
		{release, "name: values}", "name: ''}", "spec.valuesFrom[0] has no name"},
		{release, "  valuesFrom:", "  postRenderStrategy: x\n  valuesFrom:", "postRenderStrategy is"},
	} {
		text, line := strings.Replace(c.text, c.from, c.to, 1), 3
		if strings.Contains(c.want, ", which it must not be") { // the field's
			line += strings.Count(text[:strings.Index(text, c.to)], "\n")
		}
		o, err := objects.Parse([]byte("kind: Other\n---\n"+text), "x.yaml")
		var known *diag.Error
		if !errors.As(err, &known) || !strings.Contains(err.Error(), c.want) || known.Pos.Line != line ||
			known.Object == "" || known.Exit != diag.ExitInput || !o.IsEmpty() {
			t.Errorf("%s: %v, %+v", c.to, err, o)
		}
	}
}

func TestOneObjectThatFailsLeavesTheOthersOfItsFile(t *testing.T) {
	broken := strings.Replace(kustomization, "path: ./apps", "path: {}", 1)
	o, err := objects.Parse([]byte(broken+"---\n"+release), "x.yaml")
	if err == nil || len(o.Releases) != 1 {
		t.Errorf("found %+v, %v", o, err)
	}
}

func TestAFolderIsReadWithoutWhatIsNoYAML(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/k.yaml": kustomization, "a/template.yaml": "{{ if .x }}\n", ".git/k.yaml": kustomization,
		"b/broken.yml": strings.Replace(kustomization, "path: ./apps", "path: {}", 1), "c.txt": kustomization,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var left int
	all, errs := objects.ReadAll(nil, dir, func(error) { left++ })
	found := 0
	for _, o := range all {
		found += len(o.Metas())
	}
	if found != 1 || left != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "broken.yml:5") {
		t.Errorf("%d objects, %d left out, %v", found, left, errs)
	}
	if _, errs := objects.ReadAll(nil, filepath.Join(dir, "absent"), nil); len(errs) != 1 {
		t.Errorf("a path that is not there: %v", errs)
	}
	if _, errs := objects.ReadAll(nil, filepath.Join(dir, "a/template.yaml"), nil); len(errs) != 1 {
		t.Errorf("a file that the user names: %v", errs)
	}
}

func TestObjectsAreTheSameWhateverTheirPlaces(t *testing.T) {
	read := func(text string) *objects.Kustomization {
		o, err := objects.Parse([]byte(text), "x.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return o.Kustomizations[0]
	}
	a := read(kustomization)
	if !a.Same(read("# moved\n" + kustomization).Meta) {
		t.Error("a comment makes it another")
	}
	if a.Same(read(strings.Replace(kustomization, "10m", "20m", 1)).Meta) {
		t.Error("another field is not seen")
	}
}

func TestAFileThatSeemsToHoldObjectsOfFluxIsNotPassedOver(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\tx: y\n", "other.yaml": "a: [",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := 0
	_, errs := objects.ReadAll(nil, dir, func(error) { left++ })
	if left != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "broken.yaml:2") {
		t.Errorf("failed %v, %d left out", errs, left)
	}
}
