package kustomize_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

// TestTheNativeWayBuildsRandomKustomizationsAsTheLibraryDoes makes kustomizations of everything that a build looks at,
// with few names, so that these meet. ROLLSTAMP_ROUNDS makes more of them.
func TestTheNativeWayBuildsRandomKustomizationsAsTheLibraryDoes(t *testing.T) {
	rounds := 40
	if n, err := strconv.Atoi(os.Getenv("ROLLSTAMP_ROUNDS")); err == nil {
		rounds = n
	}
	first, _ := strconv.ParseUint(os.Getenv("ROLLSTAMP_SEED"), 10, 64)
	built, native := 0, 0
	for seed := first; seed < first+uint64(rounds); seed++ {
		m := &treeMaker{Rand: rand.New(rand.NewPCG(seed, 17)), dir: t.TempDir(), files: map[string]string{},
			made: map[string][]string{}}
		if err := m.tree(); err != nil {
			t.Fatal(err)
		}
		builds, declined := compare(t, filepath.Join(m.dir, "top"))
		if t.Failed() {
			for _, name := range slices.Sorted(maps.Keys(m.files)) {
				t.Logf("-- %s --\n%s", name, m.files[name])
			}
			t.Fatalf("ROLLSTAMP_SEED=%d ROLLSTAMP_ROUNDS=1", seed)
		}
		if builds {
			built++
		} else if os.Getenv("ROLLSTAMP_SEED") != "" {
			_, err := buildBy(config.KustomizeLibrary, filepath.Join(m.dir, "top"))
			t.Log(err)
		}
		if builds && declined == "" {
			native++
		}
	}
	t.Logf("%d of %d build, %d of these in the native way", built, rounds, native)
	if native*4 < rounds {
		t.Errorf("only %d of %d are built in the native way", native, rounds)
	}
}

// treeMaker writes kustomizations.
type treeMaker struct {
	*rand.Rand
	dir   string
	files map[string]string
	made  map[string][]string // names by kind
	wild  bool                // most files are no YAML
	check func(dir string) bool
}

func (m *treeMaker) tree() error {
	for _, k := range []struct {
		dir    string
		entry  string
		others []string
	}{
		{"base", "", nil},
		{"other", "", nil},
		{"part", "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n", nil},
		{"middle", "", []string{"../base"}},
		{"top", "", []string{"../middle", "../other", "../base"}},
	} {
		for try := range 10 { // the last folder may hold what is an error, too
			if err := m.kustomization(k.dir, k.entry, k.others); err != nil {
				return err
			}
			if k.dir == "part" || k.dir == "top" && try > 1 {
				break
			}
			if m.builds(k.dir) {
				break
			}
		}
	}
	return nil
}

// builds reports whether a folder can be built.
func (m *treeMaker) builds(dir string) bool {
	if m.check != nil {
		return m.check(filepath.Join(m.dir, dir))
	}
	_, err := buildBy(config.KustomizeLibrary, filepath.Join(m.dir, dir))
	return err == nil
}

func (m *treeMaker) write(dir, name, text string) error {
	if err := os.MkdirAll(filepath.Join(m.dir, dir), 0o700); err != nil {
		return err
	}
	m.files[dir+"/"+name] = text
	return os.WriteFile(filepath.Join(m.dir, dir, name), []byte(text), 0o600)
}

func (m *treeMaker) one(of ...string) string { return of[m.IntN(len(of))] }

func (m *treeMaker) chance(n int) bool { return m.IntN(n) == 0 }

func (m *treeMaker) name() string { return m.one("web", "web", "db", "p-web", "api", "settings", "a") }

// object names are met by those of patches and references now and then.
func (m *treeMaker) ownName() string {
	if m.chance(2) {
		return m.name()
	}
	return "own-" + strconv.Itoa(m.IntN(1000))
}

// patched returns the kind and the name of an object that there is, most of the time.
func (m *treeMaker) patched(kind string) string {
	if names := m.made[kind]; len(names) > 0 && !m.chance(8) {
		return m.one(names...)
	}
	return m.name()
}

func (m *treeMaker) namespace() string { return m.one("shop", "default", "other") }

func (m *treeMaker) kustomization(dir, head string, below []string) error {
	var k strings.Builder
	k.WriteString(head + "resources:\n")
	for i, b := range below {
		if i == 0 || m.chance(3) {
			k.WriteString("- " + b + "\n")
		}
	}
	if dir != "part" || m.chance(2) {
		var docs []string
		for range 1 + m.IntN(4) {
			docs = append(docs, m.object())
		}
		if err := m.write(dir, "all.yaml", strings.Join(docs, m.one("---\n", "---\n# between\n", "--- \n"))); err != nil {
			return err
		}
		k.WriteString("- all.yaml\n")
	}
	if dir != "part" && m.chance(3) {
		k.WriteString("components: [../part]\n")
	}
	if dir != "part" || m.chance(2) {
		for _, field := range m.fields() {
			k.WriteString(field)
		}
	} else {
		k.WriteString(m.one("labels: [{pairs: {part: x}, includeSelectors: true}]\n", "images: [{name: web, newTag: part}]\n",
			"namePrefix: part-\n", "namespace: other\n"))
	}
	if err := m.write(dir, "env.txt", "A=1\nB=two words\n"); err != nil {
		return err
	}
	return m.write(dir, "kustomization.yaml", k.String())
}

// fields returns some of the fields of a kustomization.
func (m *treeMaker) fields() (some []string) {
	for _, f := range []struct {
		rarity int
		text   func() string
	}{
		{3, func() string { return "namespace: " + m.namespace() + "\n" }},
		{3, func() string { return "namePrefix: " + m.one("p-", "x-") + "\n" }},
		{5, func() string { return "nameSuffix: -" + m.one("s", "web") + "\n" }},
		{4, func() string {
			return "labels:\n- pairs: {team: " + m.one("a", `"1"`, `"true"`) + "}\n  " +
				m.one("includeSelectors: true", "includeTemplates: true", "includeSelectors: false") + "\n"
		}},
		{6, func() string { return "commonLabels: {common: " + m.one("b", `"yes"`) + "}\n" }},
		{4, func() string { return "commonAnnotations: {note: " + m.one("c", `"1.5"`, `"a: b"`) + "}\n" }},
		{4, func() string {
			return "images:\n- name: " + m.one("example.com/web", "nginx", "web", "n.inx") + "\n  " + m.one(`newTag: "7"`, "newName: other.example/x", "digest: sha256:"+strings.Repeat("a", 64)) + "\n"
		}},
		{6, func() string { return "replicas: [{name: " + m.patched("Deployment") + ", count: 4}]\n" }},
		{3, m.patches},
		{5, func() string { return "patchesStrategicMerge:\n- |-\n" + indent(m.patch(), "  ") }},
		{6, func() string {
			return "patchesJson6902:\n- target: {group: apps, version: v1, kind: Deployment, name: " + m.name() + "}\n  patch: |-\n    - {op: add, path: /metadata/labels, value: {z: y}}\n"
		}},
		{2, func() string { return m.generator("configMapGenerator", "") }},
		{4, func() string { return m.generator("secretGenerator", "  type: Opaque\n") }},
		{6, func() string {
			return "generatorOptions: {" + m.one("disableNameSuffixHash: true", "labels: {g: o}", "annotations: {g: o}", "immutable: true") + "}\n"
		}},
		{6, m.replacements},
		{8, func() string { return "sortOptions: {order: " + m.one("fifo", "legacy") + "}\n" }},
		{12, func() string {
			return "labels:\n- pairs: {part: x}\n  fields: [{path: spec/more/labels, create: " + m.one("true", "false") + "}, {kind: Deployment, path: " +
				m.one("spec/selector/matchLabels", "metadata/labels", "spec/template/metadata/labels", "spec/replicas") + "}]\n"
		}},
		{12, func() string {
			return "images:\n- {name: \"reg.example:5000/web\", newName: \"reg.example:5001/b\"}\n- {name: web, newTag: " +
				m.one(`""`, `"1.10"`, "v1") + ", digest: " + m.one(`""`, "sha256:"+strings.Repeat("c", 64)) + "}\n- {name: nginx, tagSuffix: -x}\n"
		}},
		{40, func() string {
			return "vars: [{name: V, objref: {apiVersion: apps/v1, kind: Deployment, name: " + m.patched("Deployment") + "}}]\n"
		}},
		{30, func() string { return "sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Secret]}}\n" }},
		{40, func() string { return "buildMetadata: [originAnnotations]\n" }},
	} {
		if m.chance(f.rarity) {
			some = append(some, f.text())
		}
	}
	return some
}

func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

func (m *treeMaker) generator(field, more string) string {
	name, behavior := m.ownName(), ""
	if field == "configMapGenerator" && m.chance(2) {
		name, behavior = m.patched("ConfigMap"), m.one("  behavior: merge\n", "  behavior: replace\n")
	} else if field == "configMapGenerator" {
		m.made["ConfigMap"] = append(m.made["ConfigMap"], name)
	}
	return field + ":\n- name: " + name + "\n" + more + m.one("", "", "", "  namespace: shop\n") + behavior + m.one("", "  options: {disableNameSuffixHash: true}\n") +
		m.one("  literals: [A=1, B=x]\n", "  envs: [env.txt]\n", "  files: [env.txt, key=env.txt]\n", "  literals: [\"C=a b\", 'D=\"q\"']\n")
}

func (m *treeMaker) replacements() string {
	return "replacements:\n- source: {kind: " + m.one("Deployment") + ", name: " + m.patched("Deployment") + ", fieldPath: metadata.name}\n" +
		"  targets:\n  - select: {kind: " + m.one("Deployment", "Service", "ConfigMap") + "}\n    fieldPaths: [" +
		m.one("metadata.annotations.from", "spec.template.spec.containers.0.name", "metadata.labels.app") + "]\n" +
		m.one("", "    options: {create: true}\n", "    options: {create: true}\n")
}

func (m *treeMaker) patches() string {
	var b strings.Builder
	b.WriteString("patches:\n")
	for range 1 + m.IntN(2) {
		target := m.one("", "", "  target: {kind: Deployment}\n", "  target: {kind: Deployment, name: "+m.name()+"}\n",
			"  target: {name: \"w.*\"}\n", "  target: {namespace: "+m.namespace()+"}\n", "  target: {labelSelector: app=web}\n",
			"  target: {kind: ConfigMap, annotationSelector: a}\n", "  target: {version: v1}\n")
		text := m.patch()
		if target != "" && m.chance(2) {
			text = m.one("- {op: add, path: /metadata/annotations, value: {j: k}}\n", "- {op: replace, path: /metadata/name, value: renamed}\n",
				"- op: remove\n  path: /metadata/labels\n", "- {op: add, path: /metadata/labels/l, value: m}\n")
		}
		b.WriteString("- patch: |-\n" + indent(text, "    ") + target)
		b.WriteString(m.one("", "", "", "  options: {allowNameChange: true}\n", "  options: {allowKindChange: true}\n"))
	}
	return b.String()
}

func (m *treeMaker) patch() string {
	kind := m.one("ConfigMap", "Deployment", "Deployment")
	meta := "metadata:\n  name: " + m.patched(kind) + "\n" + m.one("", "", "", "", "", "  namespace: "+m.namespace()+"\n")
	switch {
	case kind == "ConfigMap":
		return "apiVersion: v1\nkind: ConfigMap\n" + meta + m.one("data: {A: \"9\"}\n", "data: {A: null}\n", "data:\n  $patch: replace\n  Z: z\n", "$patch: delete\n")
	case m.chance(4):
		return "apiVersion: apps/v1\nkind: Deployment\n" + meta + m.one("$patch: delete\n", "spec: {replicas: null}\n", "spec: null\n", "  annotations: {x: y}\n")
	default:
		return "apiVersion: apps/v1\nkind: Deployment\n" + meta + "spec:\n  template:\n    spec:\n      containers:\n" +
			m.one("      - {name: web, image: \"nginx:2\"}\n", "      - {name: web, ports: [{containerPort: 80, name: h}]}\n", "      - name: web\n        ports: [{containerPort: 80, $patch: delete}]\n",
				"      - name: web\n        $setElementOrder/env: [{name: B}, {name: A}]\n        env: [{name: B, value: c}, {name: A, value: d}]\n", "      - name: web\n        env: null\n",
				"      - name: web\n        volumeMounts: [{mountPath: /a, name: v}, {mountPath: /b, name: v}]\n", "      - null\n", "      $retainKeys: [name]\n", "      - {name: web, env: [{name: A, $patch: replace}]}\n",
				"      - {name: web, env: [{name: A, valueFrom: null}]}\n", "      - {$patch: merge, name: web, args: [x]}\n", "      - image: nameless\n",
				"      - name: web\n        env: [{name: B, value: c}]\n",
				"      - name: added\n        image: nginx\n", "      - {name: web, $patch: delete}\n", "      - $patch: replace\n      - {name: only, image: web}\n")
	}
}

// object returns a document.
func (m *treeMaker) object() string {
	own := m.ownName()
	meta := "metadata:\n  name: " + own + "\n" + m.one("", "", "", "  namespace: "+m.namespace()+"\n") + m.one("", "  labels: {app: web}\n") +
		m.one("", "", "", "  annotations: {a: b}\n", "  annotations: {a: \"1\", c: \"x y\"}\n", "  annotations: {}\n", "  annotations: {a: 1}\n",
			"  annotations: {config.kubernetes.io/local-config: \"true\"}\n", "  annotations:\n    kustomize.config.k8s.io/needs-hash: \"true\"\n",
			"  annotations:\n    a: null\n")
	ref, ns := m.name(), m.namespace()
	switch m.IntN(14) {
	case 0, 1:
		m.made["ConfigMap"] = append(m.made["ConfigMap"], own)
		if m.chance(6) {
			return "apiVersion: v1\nkind: ConfigMap\n" + meta + "data:\n" + m.entries(2, 4)
		}
		return "apiVersion: v1\nkind: ConfigMap\n" + meta + m.one("data: {A: b}\n", "data:\n  A: |\n    lines\n     of text\n  B: \"1\"\n", "# above\ndata:\n  A: b # beside\n",
			"data: {}\n", "data:\n  a: &x b\n  c: *x\n", "")
	case 2:
		return "apiVersion: v1\nkind: Secret\n" + meta + m.one("stringData: {A: b}\n", "data: {A: Yg==}\n", "type: Opaque\n")
	case 3:
		return "apiVersion: v1\nkind: Service\n" + meta + "spec:\n  selector: {app: web}\n  ports: [{port: 80, targetPort: http}]\n"
	case 4:
		return "apiVersion: networking.k8s.io/v1\nkind: Ingress\n" + meta + "spec:\n  tls: [{secretName: " + ref + "}]\n  rules:\n  - http: {paths: [{path: /, backend: {service: {name: " + ref + "}}}]}\n"
	case 5:
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + m.one("RoleBinding", "ClusterRoleBinding") + "\n" + meta + "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: " + ref +
			"}\nsubjects:\n- kind: ServiceAccount\n  name: " + m.one(ref, "default") + "\n" + m.one("", "  namespace: "+ns+"\n")
	case 6:
		return "apiVersion: v1\nkind: ServiceAccount\n" + meta + m.one("", "imagePullSecrets: [{name: "+ref+"}]\n")
	case 7:
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + m.one("Role", "ClusterRole") + "\n" + meta + "rules: [{resources: [secrets], verbs: [get], resourceNames: [" + ref + "]}]\n"
	case 8:
		return m.one("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"+meta+"spec: {scaleTargetRef: {kind: Deployment, name: "+ref+"}}\n",
			"apiVersion: v1\nkind: PersistentVolumeClaim\n"+meta+"spec: {volumeName: "+ref+", storageClassName: "+m.name()+"}\n",
			"apiVersion: v1\nkind: PersistentVolume\n"+meta+"spec: {storageClassName: "+ref+", azureFile: {secretName: "+m.name()+"}}\n",
			"apiVersion: storage.k8s.io/v1\nkind: StorageClass\n"+meta+"parameters: {secretName: "+ref+"}\n",
			"apiVersion: admissionregistration.k8s.io/v1\nkind: "+m.one("Validating", "Mutating")+"WebhookConfiguration\n"+meta+"webhooks:\n- name: a\n  clientConfig: {service: {name: "+ref+", namespace: "+ns+"}}\n"+
				m.one("", "- name: b\n  clientConfig: {service: {name: "+m.name()+"}}\n", "- name: b\n  clientConfig: {service: {}}\n", "- {name: b, clientConfig: x}\n"),
			"apiVersion: apiregistration.k8s.io/v1\nkind: APIService\n"+meta+"spec: {service: {name: "+ref+m.one("", ", namespace: "+ns)+"}}\n",
			"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"+meta+"spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {a: b}}}, {namespaceSelector: {}}]}]}\n",
			"apiVersion: policy/v1\nkind: PodDisruptionBudget\n"+meta+"spec: {selector: "+m.one("{matchLabels: {app: web}}", "{}", "null", "text")+"}\n",
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"+meta+"spec: {group: example.com, conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: "+ref+", namespace: "+ns+"}}}}}\n",
			"apiVersion: batch/v1\nkind: CronJob\n"+meta+"spec: {schedule: \"* * * * *\", jobTemplate: {spec: {template: {spec: {serviceAccountName: "+ref+", containers: [{name: a, image: web}], volumes: [{name: v, persistentVolumeClaim: {claimName: "+m.name()+"}}]}}}}}\n",
			"apiVersion: batch/v1\nkind: Job\n"+meta+"spec: {template: {spec: {priorityClassName: "+ref+", initContainers: [{name: a, image: \"web:1\"}]}}}\n",
			"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"+meta+"value: 1\n",
			"apiVersion: v1\nkind: Pod\n"+meta+"spec: {volumes: [{name: p, projected: {sources: [{configMap: {name: "+ref+"}}, {secret: {name: "+m.name()+"}}]}}], containers: [{name: a, image: nginx}]}\n",
			"apiVersion: serving.knative.dev/v1\nkind: Service\n"+meta+"spec: {template: {spec: {containers: [{image: web, env: [{name: A, valueFrom: {secretKeyRef: {name: "+ref+"}}}]}]}}}\n",
			"apiVersion: v1\nkind: ReplicationController\n"+meta+"spec: {replicas: 1, selector: {app: web}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: web}]}}}\n")
	case 9:
		return m.one("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: "+ref+"}\n",
			"apiVersion: example.com/v1\nkind: Thing\n"+meta+"spec: text\n", "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+ns+"}\n",
			"apiVersion: example.com/v1\nkind: Thing\n"+meta+"spec:\n  template: {spec: {volumes: [a], image: 1.0}}\n  when: 2020-01-01\n",
			"# nothing\n", m.one("# nothing\n", "kind: ConfigMap\n"+meta, "apiVersion: v1\nkind: ConfigMap\n"+meta+"data:\n- null\n"))
	default:
		kind := m.one("Deployment", "Deployment", "StatefulSet", "DaemonSet")
		m.made[kind] = append(m.made[kind], own)
		return "apiVersion: apps/v1\nkind: " + kind + "\n" + meta + "spec:\n  replicas: 1\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n" +
			"      serviceAccountName: " + ref + "\n      containers:\n      - name: web\n        image: " + m.one("nginx:1", "example.com/web", "web:1@sha256:"+strings.Repeat("b", 64), `""`) +
			"\n        envFrom: [{configMapRef: {name: " + ref + "}}, {secretRef: {name: " + m.name() + "}}]\n        command: [sh, -c, \"" + strings.Repeat("echo ", m.IntN(40)) + "\"]\n" +
			"      volumes:\n      - name: v\n        configMap: {name: " + m.name() + "}\n"
	}
}
