package kustomize

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize/output"
)

// The objects and patches of the cases.
const (
	webAndWorker = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {annotations: {a: b}}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: worker}, spec: {template: {spec: {volumes: null}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}}
`
	twoSpaces = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: b}}
`
	stampOfWeb = `
- target: {group: apps, kind: Deployment, name: web}
  patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      template:
        metadata:
          annotations:
            checksum.example/a: "1"
`
)

var directCases = []struct {
	name   string
	direct bool // whether the build without targets is the one that counts
	files  map[string]string
}{
	{"one object", true, app("resources: [all.yaml]\npatches:"+stampOfWeb, webAndWorker)},
	{"a prefix, a suffix and a namespace of its own", true, app(
		"resources: [all.yaml]\nnamePrefix: a-\nnameSuffix: -b\nnamespace: c\npatches:"+stampOfWeb, webAndWorker)},
	{"labels, annotations, images and replicas behind the patches", true, app(
		"resources: [all.yaml]\ncommonAnnotations: {checksum.example/a: \"2\"}\nlabels: [{pairs: {a: b}, includeSelectors: true}]\n"+
			"replicas: [{name: web, count: 2}]\nimages: [{name: a, newTag: b}]\npatches:"+stampOfWeb, webAndWorker)},
	{"a replacement that copies the annotation", true, app(
		"resources: [all.yaml]\nreplacements: [{source: {kind: Deployment, name: web, "+
			"fieldPath: 'spec.template.metadata.annotations.[checksum.example/a]'}, targets: [{select: {kind: Service}, "+
			"fieldPaths: [spec.x], options: {create: true}}]}]\npatches:"+stampOfWeb, webAndWorker)},
	{"a base with a prefix, by the name in the file", true, base("namePrefix: a-\n", "patches:"+stampOfWeb, webAndWorker)},
	{"a base with a namespace", true, base("namespace: a\n", "patches:"+stampOfWeb, webAndWorker)},
	{"a component with a suffix", true, with(app("resources: [all.yaml]\ncomponents: [c]\npatches:"+stampOfWeb, webAndWorker),
		"c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -c\n")},
	{"a patch of another object between two of one", true, app("resources: [all.yaml]\npatches:"+stampOfWeb+`
- {target: {kind: Deployment}, patch: '[{"op": "replace", "path": "/spec/template", "value": {"x": "y"}}]'}`+
		strings.ReplaceAll(stampOfWeb, `"1"`, `"2"`), webAndWorker)},
	{"patches that remove and delete", true, app(`resources: [all.yaml]
patches:
- target: {kind: Deployment, name: web}
  patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {annotations: {a: null}}}}}"
- target: {kind: Deployment, name: worker}
  patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: worker}, $patch: delete}"
`, webAndWorker)},
	{"a patch that finds nothing stays as it is", true, app("resources: [all.yaml]\npatches:"+stampOfWeb+
		strings.ReplaceAll(stampOfWeb, "web", "gone"), webAndWorker)},
	{"only patches that find nothing", false, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "web", "gone"), webAndWorker)},
	{"one name in two namespaces", false, app("resources: [all.yaml]\npatches:"+stampOfWeb, twoSpaces)},
	{"one name in two namespaces, one of which is named", true, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "name: web}", "name: web, namespace: b}"), twoSpaces)},
	{"a name that is another one's before a prefix", false, with(base("namePrefix: a-\n", "patches:"+stampOfWeb, webAndWorker),
		"own.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}")},
	{"a patch that names another object than it selects", false, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "      name: web", "      name: any"), webAndWorker)},
	{"an expression for several names", false, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "name: web}", "name: w.*}"), webAndWorker)},
	{"a name with a dot", true, app("resources: [all.yaml]\npatches:"+strings.NewReplacer("name: web}", `name: we\.b}`,
		"      name: web", "      name: we.b").Replace(stampOfWeb), strings.ReplaceAll(webAndWorker, "name: web", "name: we.b"))},
	{"another version", false, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "apps/v1", "apps/v1beta1"), webAndWorker)},
	{"labels that are selected", false, app("resources: [all.yaml]\npatches:"+
		strings.ReplaceAll(stampOfWeb, "name: web}", "name: web, labelSelector: a=b}"), webAndWorker)},
	{"labels that are removed", false, app(`resources: [all.yaml]
patches:
- target: {kind: Deployment, name: web}
  patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {a: null}}}"
`, webAndWorker)},
	{"a name that an earlier patch changes", false, app(`resources: [all.yaml]
patches:
- {target: {kind: Service}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "other"}]'}`+stampOfWeb, webAndWorker)},
	{"objects that an operator of kustomize makes", true, app(`resources: [all.yaml]
configMapGenerator: [{name: web, literals: [a=b]}]
patches:`+stampOfWeb+`
- target: {kind: ConfigMap, name: web}
  patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {c: d}}"
`, webAndWorker)},
	{"the origins of transformations", true, app("resources: [all.yaml]\nbuildMetadata: [transformerAnnotations, originAnnotations]\n"+
		"patches:"+stampOfWeb, webAndWorker)},
	{"an object of a list, and one that stays on this machine", true, app("resources: [all.yaml]\npatches:"+stampOfWeb,
		`apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web, annotations: {config.kubernetes.io/local-config: "true"}}}
`)},
	{"an object without namespaces", true, app(`resources: [all.yaml]
namespace: a
patches:
- target: {kind: ClusterRole, name: web}
  patch: "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}, rules: []}"
`, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}}")},
	{"an object without namespaces, in one that is named", false, app(`resources: [all.yaml]
patches:
- target: {kind: ClusterRole, name: web, namespace: default}
  patch: "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}, rules: []}"
`, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}}")},
	{"a build that fails", false, app("resources: [all.yaml]\npatches:"+stampOfWeb+
		"\n- {target: {kind: Deployment}, patch: '[{\"op\": \"remove\", \"path\": \"/gone\"}]'}", webAndWorker)},
	{"an outdated field", true, app("bases: [base]\npatches:"+stampOfWeb+"\npatchesStrategicMerge: ["+
		"'{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {a: b}}']", "")},
}

// app returns the files of a kustomization with one file of resources.
func app(kustomization, all string) map[string]string {
	return map[string]string{"kustomization.yaml": kustomization, "all.yaml": all,
		"base/kustomization.yaml": "resources: [all.yaml]", "base/all.yaml": webAndWorker}
}

// base returns those of a kustomization over another one, with a file of its own.
func base(below, kustomization, all string) map[string]string {
	return map[string]string{"kustomization.yaml": "resources: [base, own.yaml]\n" + kustomization, "own.yaml": "",
		"base/kustomization.yaml": "resources: [all.yaml]\n" + below, "base/all.yaml": all}
}

func with(files map[string]string, name, text string) map[string]string {
	files[name] = text
	return files
}

func TestPatchesWithoutTargetsComeToTheSame(t *testing.T) {
	for _, c := range directCases {
		t.Run(c.name, func(t *testing.T) {
			if took := compareDirect(t, c.files); took != c.direct {
				t.Errorf("targets are left out: %v, want %v", took, c.direct)
			}
		})
	}
}

// TestPatchesWithoutTargetsComeToTheSameForRandomOnes makes names, namespaces and kinds meet.
func TestPatchesWithoutTargetsComeToTheSameForRandomOnes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	pick := func(all ...string) string { return all[rnd.IntN(len(all))] }
	object := func() (kind, name, head string) {
		kind, name = pick("apps/v1, kind: Deployment", "apps/v1, kind: StatefulSet", "v1, kind: Pod", "example.com/v1, kind: Thing"),
			pick("a", "b", "p-a", "a-s")
		return kind, name, fmt.Sprintf("apiVersion: %s, metadata: {name: %s%s}", kind, name,
			pick("", "", ", namespace: x", ", namespace: default"))
	}
	took := 0
	for range 600 {
		var all, below, patches strings.Builder
		for _, to := range []*strings.Builder{&all, &below} {
			for range 1 + rnd.IntN(3) {
				_, _, head := object()
				fmt.Fprintf(to, "---\n{%s, spec: {a: {b: %s}, list: [{name: x, v: 1}]}}\n", head, pick("c", "null", "{}"))
			}
		}
		for range 1 + rnd.IntN(3) {
			kind, name, head := object()
			if rnd.IntN(3) > 0 { // one that is there
				heads := regexp.MustCompile(`{(apiVersion: (.*), metadata: {name: ([^,}]*).*}), spec`).FindAllStringSubmatch(
					all.String()+below.String(), -1)
				one := heads[rnd.IntN(len(heads))]
				head, kind, name = one[1], one[2], one[3]
			}
			_, k, _ := strings.Cut(kind, ": ")
			target := pick("kind: "+k+", name: "+name, "kind: "+k+", name: "+name, "name: "+name, "kind: "+k)
			fmt.Fprintf(&patches, "- {target: {%s%s}, patch: %q}\n", target, pick("", "", ", namespace: x", ", namespace: y"),
				fmt.Sprintf("{%s, %s}", head, pick("spec: {a: {c: d}}", "spec: {a: null}", "spec: {list: [{name: x, w: 2}]}",
					"$patch: delete", "kind2: x")))
		}
		fields := func() string {
			return pick("", "", "namePrefix: p-\n") + pick("", "", "nameSuffix: -s\n") + pick("", "", "namespace: y\n")
		}
		files := base(fields(), fields()+"patches:\n"+patches.String(), below.String())
		files["own.yaml"] = all.String()
		if compareDirect(t, files) {
			took++
		}
		if t.Failed() {
			t.Fatalf("of\n%v", files)
		}
	}
	if t.Logf("%d of 600 without targets", took); took < 40 {
		t.Error("too few of them are built without targets")
	}
}

// compareDirect builds a kustomization with and without targets, and reports whether the latter counts.
func compareDirect(t *testing.T, all map[string]string) bool {
	t.Helper()
	content := map[string][]byte{}
	for name, text := range all {
		content[name] = []byte(text)
	}
	memory, err := files.NewMemory(content)
	if err != nil {
		t.Fatal(err)
	}
	req := render.Request{Path: "/direct", Files: files.Mount{At: "/direct", Tree: memory}}
	opts, err := options(req)
	if err != nil {
		t.Fatal(err)
	}
	opts.Reorder = krusty.ReorderOptionNone
	built := func(build func(*tree, *plan) ([]*resource.Resource, error)) ([]byte, error) {
		seen, err := newTree(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		p, err := readPlan(seen, newFetcher(seen))
		if err != nil {
			return nil, err
		}
		rs, err := build(seen, p)
		if err != nil || rs == nil {
			return nil, err
		}
		return output.Print(rs)
	}
	want, err := built(func(seen *tree, _ *plan) ([]*resource.Resource, error) {
		m, err := krusty.MakeKustomizer(&opts).Run(seen, seen.app)
		if err != nil {
			return nil, err
		}
		return m.Resources(), nil
	})
	took := false
	got, directErr := built(func(seen *tree, p *plan) ([]*resource.Resource, error) {
		d := newDirect(seen, p, 0)
		if d == nil {
			return nil, nil
		}
		rs, ok := d.build(opts)
		took = ok
		if !ok {
			rs = nil
		}
		return rs, nil
	})
	switch {
	case directErr != nil && err == nil:
		t.Error(directErr)
	case took && err != nil:
		t.Errorf("fails only with targets: %v", err)
	case took && !bytes.Equal(got, want):
		t.Errorf("without targets\n%s\nwith them\n%s", got, want)
	}
	return took
}
