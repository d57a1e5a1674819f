package kustomize_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// toEdit is a kustomization with something of everything that can be edited, some of it in outdated fields.
var toEdit = map[string]string{
	"app/kustomization.yaml": `# kept
namePrefix: old-
commonLabels: {app: web}
labels:
- pairs: {tier: front}
  includeTemplates: true
- pairs: {plain: "yes"}
commonAnnotations: {owner: team}
bases:
- ../base
resources:
- extra.yaml
images:
- name: nginx
  newName: mirror/nginx
  newTag: "1.0"
- name: zebra
  newTag: z
imageTags:
- name: redis
  newTag: "6"
replicas:
- name: web
  count: 2
patchesStrategicMerge:
- strategic.yaml
patches:
- patch: |-
    - op: add
      path: /metadata/annotations/first
      value: "1"
  target: {kind: Deployment}
configMapGenerator:
- name: settings
  literals: [a=b]
`,
	"app/extra.yaml":     "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {a: b}}\n",
	"app/strategic.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {hostNetwork: true}}}\n",
	"app/later.yaml":     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {hostNetwork: false}}}\n",
	"base/kustomization.yaml": `resources:
- web.yaml
`,
	"base/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {kept: "yes"}}
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - {name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}]}
      - {name: cache, image: redis:5}
`,
	"parts/one/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -one\n",
	"parts/two/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {two: here}\n",
}

// commands returns the kustomize edit commands that Argo CD runs for edits, in its order; patches have none.
func commands(e *render.KustomizeEdits) [][]string {
	var out [][]string
	add := func(args ...string) { out = append(out, append([]string{"edit"}, args...)) }
	metadata := func(what string, values map[string]string, flags ...string) {
		if len(values) > 0 {
			args := append([]string{"add", what}, flags...)
			for _, k := range slices.Sorted(maps.Keys(values)) {
				args = append(args, k+":"+values[k])
			}
			add(args...)
		}
	}
	flag := func(name string, on bool) []string {
		if on {
			return []string{name}
		}
		return nil
	}
	if e.NamePrefix != "" {
		add("set", "nameprefix", "--", e.NamePrefix)
	}
	if e.NameSuffix != "" {
		add("set", "namesuffix", "--", e.NameSuffix)
	}
	if len(e.Images) > 0 {
		add(append([]string{"set", "image"}, e.Images...)...)
	}
	if len(e.Replicas) > 0 {
		args := []string{"set", "replicas"}
		for _, r := range e.Replicas {
			args = append(args, r.Name+"="+strconv.Itoa(r.Count))
		}
		add(args...)
	}
	metadata("label", e.Labels, slices.Concat(flag("--force", e.ForceLabels), flag("--without-selector", e.LabelsWithoutSelector), flag("--include-templates", e.LabelsInTemplates))...)
	metadata("annotation", e.Annotations, flag("--force", e.ForceAnnotations)...)
	if e.Namespace != "" {
		add("set", "namespace", "--", e.Namespace)
	}
	if len(e.Components) > 0 {
		add(append([]string{"add", "component"}, e.Components...)...)
	}
	return out
}

// editAndBuild runs the real commands in a tree of their own.
func editAndBuild(t *testing.T, e *render.KustomizeEdits) ([]byte, error) {
	t.Helper()
	dir := filepath.Join(write(t, toEdit), "app")
	for _, args := range commands(e) {
		cmd := exec.Command(stock.Kustomize(t), args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("kustomize %v: %s", args, out)
			return nil, err
		}
	}
	if len(e.Patches) > 0 {
		file := filepath.Join(dir, "kustomization.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		items := ""
		for _, p := range e.Patches {
			items += "- " + string(p) + "\n"
		}
		before, after, found := strings.Cut(string(text), "\npatches:\n")
		if !found {
			t.Fatalf("no patches in\n%s", text)
		}
		// The items that are there end with the next field.
		end := len(after)
		for i, line := 0, ""; i < len(after); i += len(line) {
			line, _, _ = strings.Cut(after[i:], "\n")
			line += "\n"
			if line[0] != ' ' && line[0] != '-' {
				end = i
				break
			}
		}
		if err := os.WriteFile(file, []byte(before+"\npatches:\n"+after[:end]+items+after[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, dir)
}

func TestEditedKustomizationBuildsAsAfterKustomizeEdit(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]render.KustomizeEdits{
		"names":                     {NamePrefix: "blue-", NameSuffix: "-x"},
		"namespace":                 {Namespace: "shop"},
		"image tag":                 {Images: []string{"nginx:2.0"}},
		"image name":                {Images: []string{"nginx=other/nginx"}},
		"image name and tag":        {Images: []string{"redis=localhost:5000/redis:7"}},
		"image digest":              {Images: []string{"nginx@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3"}},
		"image all":                 {Images: []string{"nginx=a/b:c@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3"}},
		"image keeps name":          {Images: []string{"nginx=*:3"}},
		"image keeps tag":           {Images: []string{"nginx=new:*"}},
		"images, one of them twice": {Images: []string{"nginx:2", "redis:9", "nginx:4", "absent:1"}},
		"replicas":                  {Replicas: []render.Replica{{Name: "web", Count: 5}}},
		"labels":                    {Labels: map[string]string{"a.b/c": "d", "e": `"f"`, "g": "h:i"}},
		"labels by force":           {Labels: map[string]string{"app": "other", "new": "1"}, ForceLabels: true},
		"labels beside selectors":   {Labels: map[string]string{"new": "1", "more": "2"}, LabelsWithoutSelector: true},
		"labels in templates":       {Labels: map[string]string{"new": "1"}, LabelsWithoutSelector: true, LabelsInTemplates: true},
		"labels over labels":        {Labels: map[string]string{"tier": "back"}, LabelsWithoutSelector: true, LabelsInTemplates: true, ForceLabels: true},
		"annotations":               {Annotations: map[string]string{"note": "x y", "empty": ""}},
		"annotations by force":      {Annotations: map[string]string{"owner": "other"}, ForceAnnotations: true},
		"component":                 {Components: []string{"../parts/one", "../parts/two/"}},
		"components of a pattern":   {Components: []string{"../parts/*"}},
		"patches": {Patches: []json.RawMessage{
			[]byte(`{"path":"later.yaml"}`),
			[]byte(`{"patch":"- op: replace\n  path: /metadata/name\n  value: renamed\n","target":{"kind":"Service","name":"web"},"options":{"allowNameChange":true}}`),
		}},
		"all": {
			NamePrefix: "p-", NameSuffix: "-s", Images: []string{"nginx:2"}, Replicas: []render.Replica{{Name: "web", Count: 0}}, Labels: map[string]string{"l": "1"},
			Annotations: map[string]string{"a": "1"}, Namespace: "n", Components: []string{"../parts/two"}, Patches: []json.RawMessage{[]byte(`{"path":"later.yaml"}`)},
		},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := editAndBuild(t, &e)
			if err != nil {
				t.Fatal(err)
			}
			out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: filepath.Join(write(t, toEdit), "app"), Kustomize: render.KustomizeOptions{Edits: &e}})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Text, want) {
				t.Errorf("differs from kustomize at %s", firstDifference(out.Text, want))
			}
		})
	}
}

func TestWhatKustomizeEditRefusesIsRefused(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]render.KustomizeEdits{
		"app/kustomization.yaml: edit kustomization: label app already in kustomization file":                                                            {Labels: map[string]string{"app": "other"}},
		"app/kustomization.yaml: edit kustomization: label tier already in kustomization file":                                                           {Labels: map[string]string{"tier": "x"}, LabelsWithoutSelector: true, LabelsInTemplates: true},
		"app/kustomization.yaml: edit kustomization: annotation owner already in kustomization file":                                                     {Annotations: map[string]string{"owner": "x"}},
		"app/kustomization.yaml: edit kustomization: add label: labelIncludeTemplates needs labelWithoutSelector":                                        {Labels: map[string]string{"a": "x"}, LabelsInTemplates: true},
		"app/kustomization.yaml: edit kustomization: set image nginx: write an image as NAME=NEWNAME, NAME:TAG, NAME@DIGEST, or NAME=NEWNAME:TAG@DIGEST": {Images: []string{"nginx"}},
		"app/kustomization.yaml: edit kustomization: add component: ../parts/three has no match":                                                         {Components: []string{"../parts/three"}},
		"app/kustomization.yaml: edit kustomization: add label: a key is empty":                                                                          {Labels: map[string]string{"": "x"}},
	} {
		if _, err := editAndBuild(t, &e); err == nil {
			t.Errorf("%s: kustomize takes it", want)
		}
		root := write(t, toEdit)
		_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: filepath.Join(root, "app"), Kustomize: render.KustomizeOptions{Edits: &e}})
		if err == nil || strings.TrimPrefix(err.Error(), root+"/") != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestAnEditedKustomizationStaysAsItIsOnDisk(t *testing.T) {
	t.Parallel()
	root := write(t, toEdit)
	e := render.KustomizeEdits{NamePrefix: "x-", Components: []string{"../parts/one"}}
	if _, err := (kustomize.Engine{}).Render(context.Background(), render.Request{Path: filepath.Join(root, "app"), Kustomize: render.KustomizeOptions{Edits: &e}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range toEdit {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s has changed: %v\n%s", name, err, got)
		}
	}
}
