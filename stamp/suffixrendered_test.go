package stamp

import (
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

func renaming() Options {
	return Options{Settings: &config.Settings{InForce: &config.InForce{
		Strategy: config.Setting[config.Strategy]{Value: config.StrategySuffix},
		Suffix:   config.Suffix{Keep: config.Setting[config.Keep]{Value: 1}},
	}}}
}

const settingsMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings # of web
data:
  LEVEL: info
---
`

const passwordSecret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"settings","labels":{"a":"b"}},"stringData":{"P":"x"}}
---
`

const readsSettings = `apiVersion: apps/v1
kind: Deployment
metadata: {name: settings, labels: {app: settings}}
spec:
  selector: {matchLabels: {app: settings}}
  template:
    metadata: {labels: {app: settings}}
    spec:
      serviceAccountName: settings
      initContainers:
      - name: settings
        envFrom: [{configMapRef: {name: settings}}]
      containers:
      - name: c
        env:
        - name: A
          valueFrom: {configMapKeyRef: {name: "settings", key: LEVEL}}
        - name: B
          valueFrom: {secretKeyRef: {name: 'settings', key: P}}
      volumes:
      - {name: settings, configMap: {name: settings}}
      - name: all
        projected: {sources: [{secret: {name: settings}}, {configMap: {name: settings}}]}
---
`

const other = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: settings}
spec: {scaleTargetRef: {kind: Deployment, name: settings}}
---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: settings}
spec: {targetRef: {kind: Deployment, name: settings}}
`

func TestNamesOfWhatIsRenderedCarryDigests(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ConfigMap and Secret":     settingsMap + passwordSecret + readsSettings + other,
		"consumers first":          other + "---\n" + readsSettings + passwordSecret + settingsMap,
		"with its namespace":       strings.ReplaceAll(settingsMap+readsSettings, "name: settings # of web", "name: settings\n  namespace: shop") + passwordSecret,
		"no line break at the end": settingsMap + passwordSecret + readsSettings + strings.TrimSuffix(other, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			out, p := stampedText(t, text, renaming())
			if found := findingsOf(p, diag.NameStays); len(found) > 0 {
				t.Fatalf("%v", found)
			}
			for _, kind := range []string{"ConfigMap", "Secret"} {
				for _, r := range p.Workloads[0].References {
					if r.Kind == kind && (r.Renamed == "" || r.Annotation != "" || !strings.HasSuffix(r.Digest, r.Renamed[len("settings-"):])) {
						t.Errorf("%+v", r)
					}
				}
			}
			if strings.Contains(out, "configmap.settings") {
				t.Errorf("there are annotations besides the names:\n%s", out)
			}
			for _, want := range []string{"configMapRef: {name: settings-", `configMapKeyRef: {name: "settings-`,
				"secretKeyRef: {name: 'settings-", "{name: settings, configMap: {name: settings-", "secret: {name: settings-",
				"{configMap: {name: settings-", "serviceAccountName: settings\n", "- name: settings\n",
				"checksum.rollstamp.dev/name: settings\n", `"checksum.rollstamp.dev/name":"settings"`} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
		})
	}
}

// A field means what its API says where it names no kind, so that an object of another kind may have the name.
func TestNamesOfOtherKindsAreNoReferences(t *testing.T) {
	t.Parallel()
	const route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: x}\nspec: "
	const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\nrules: "
	for name, c := range map[string]struct {
		text  string
		stays bool
	}{
		"a backend":        {route + "{parentRefs: [{name: settings}], rules: [{backendRefs: [{name: settings}]}]}", false},
		"a mirror":         {route + "{rules: [{filters: [{requestMirror: {backendRef: {name: settings}}}]}]}", false},
		"a kind beside":    {route + "{rules: [{backendRefs: [{group: x.dev, kind: Bucket, name: settings}]}]}", false},
		"ConfigMap beside": {route + "{rules: [{backendRefs: [{group: '', kind: ConfigMap, name: settings}]}]}", true},
		"Secret beside":    {route + "{rules: [{backendRefs: [{group: '', kind: Secret, name: settings}]}]}", false},
		"certificates of clients": {"apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: x}\n" +
			"spec: {tls: {frontend: {default: {validation: {caCertificateRefs: [{kind: ConfigMap, name: settings}]}}}}}", true},
		"leases": {role + "[{apiGroups: [coordination.k8s.io], resources: [leases], " +
			"resourceNames: [settings]}]", false},
		"Secrets":         {role + "[{apiGroups: [''], resources: [secrets], resourceNames: [settings]}]", false},
		"ConfigMaps":      {role + "[{apiGroups: [''], resources: [configmaps], resourceNames: [settings]}]", true},
		"all resources":   {role + "[{apiGroups: [''], resources: ['*'], resourceNames: [settings]}]", true},
		"some of several": {role + "[{apiGroups: [''], resources: [services, configmaps], resourceNames: [settings]}]", true},
		"a label": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n" +
			"spec: {template: {spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{topologyKey: a, labelSelector: {matchExpressions: " +
			"[{key: app, operator: In, values: [settings]}]}}]}}}}}", false},
		"a claim": {"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: x}\nspec: " +
			"{storageClassName: settings, volumeName: settings}", false},
		"Services of a Rollout": {"apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: x}\n" +
			"spec: {strategy: {canary: {stableService: settings, canaryService: settings, " +
			"trafficRouting: {istio: {virtualService: {name: settings}}}}}}", false},
		"what KEDA scales": {"apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x}\nspec: " +
			"{scaleTargetRef: {name: settings}, triggers: [{type: cron, authenticationRef: {name: settings}}]}", false},
		"a Service of Traefik": {"apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata: {name: x}\nspec: " +
			"{routes: [{middlewares: [{name: settings}], services: [{name: settings, port: 80}]}]}", false},
		"a host of Istio": {"apiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: {name: x}\n" +
			"spec: {host: settings}", false},
		"a port": {"apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: x}\nspec: " +
			"{endpoints: [{port: settings}], namespaceSelector: {matchNames: [settings]}, " +
			"selector: {matchLabels: {app: settings}}}", false},
		"a Service of an unknown kind": {"apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\nspec: " +
			"{serviceName: settings, namespace: settings}", false},
		"a ConfigMap in what names a Service": {"apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\nspec: " +
			"{serviceRef: {name: x, configMapName: settings}}", true},
		"a service of an unknown kind": {"apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: x}\nspec: " +
			"{service: {config: settings}}", true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planOf(t, []byte(settingsMap+readsSettings+c.text+"\n"), renaming())
			if err != nil {
				t.Fatal(err)
			}
			if found := findingsOf(p, diag.NameStays); (len(found) > 0) != c.stays {
				t.Errorf("stays: %v, want %v: %v", len(found) > 0, c.stays, found)
			}
		})
	}
}

func TestANewContentIsANewNameAndAnOldOneTheOld(t *testing.T) {
	t.Parallel()
	one, _ := stampedText(t, settingsMap+readsSettings, renaming())
	changed := strings.Replace(settingsMap, "info", "debug", 1)
	two, _ := stampedText(t, changed+readsSettings, renaming())
	if a, b := nameIn(one, "settings"), nameIn(two, "settings"); a == b || a == "" || b == "" {
		t.Fatalf("%q and %q", a, b)
	}
	p, err := planOf(t, []byte(strings.Replace(one, "info", "debug", 1)), renaming())
	if err != nil || string(bytesOf(t, p)) != two {
		t.Errorf("what was stamped is not renamed: %v\n%s", err, bytesOf(t, p))
	}
}

func TestANameOfTheRenderStaysWhereItCannotBeChangedEverywhere(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long.", 48) + "x"
	for name, c := range map[string]struct{ text, why string }{
		"a Job": {settingsMap + readsSettings +
			"apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}\n",
			"Job x reads it and is not stamped"},
		"another strategy": {settingsMap + readsSettings +
			strings.Replace(readsSettings, "{name: settings, labels", "{name: b, annotations: {rollstamp.dev/strategy: annotation}, labels", 1),
			"Deployment b reads it and has another strategy"},
		"an argument": {settingsMap + strings.Replace(readsSettings, "      - name: c\n", "      - name: c\n        args: [\"--config-map=settings\"]\n", 1),
			"mentions it"},
		"a role of another kind": {settingsMap + readsSettings +
			"apiVersion: example.org/v1\nkind: Reader\nmetadata: {name: x}\nspec: {from: settings}\n", "Reader x mentions it"},
		"a script": {settingsMap + readsSettings +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {run: \"kubectl get cm settings\"}\n", "ConfigMap x mentions it"},
		"a script under a key that manifests have": {settingsMap + readsSettings +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {image: \"kubectl get cm settings\"}\n", "ConfigMap x mentions it"},
		"a script under the key kind": {settingsMap + readsSettings +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {kind: \"kubectl get cm settings\"}\n", "ConfigMap x mentions it"},
		"a script under a key for Secrets": {settingsMap + readsSettings +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {secretName: \"kubectl get cm settings\"}\n", "ConfigMap x mentions it"},
		"a folder in Prometheus' pods": {settingsMap + readsSettings +
			"apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: x}\nspec: {configMaps: [settings], podMetadata: {labels: {a: b}}}\n",
			"Prometheus x has a folder of this name in its pods"},
		"a hook": {strings.Replace(settingsMap, "metadata:\n", "metadata:\n  annotations: {helm.sh/hook: pre-install}\n", 1) + readsSettings,
			"it is a hook"},
		"copies": {strings.Replace(settingsMap, "metadata:\n", "metadata:\n  annotations: {replicator.v1.mittwald.de/replicate-to: b}\n", 1) + readsSettings,
			"it is copied into other namespaces"},
		"copies of kubed": {strings.Replace(settingsMap, "metadata:\n", "metadata:\n  annotations: {kubed.appscode.com/sync: \"\"}\n", 1) + readsSettings,
			"it is copied into other namespaces"},
		"a list of clones":         {policyOf("cloneList: {namespace: platform, kinds: [v1/ConfigMap]}") + inPlatform, "ClusterPolicy x copies it"},
		"clones of each namespace": {policyOf("cloneList: {namespace: '{{x}}', kinds: [v1/Secret, v1/ConfigMap]}") + inPlatform, "ClusterPolicy x copies it"},
		"clones that are chosen": {policyOf("cloneList: {namespace: platform, kinds: [v1/ConfigMap], selector: {matchLabels: {a: b}}}") +
			strings.Replace(inPlatform, "name: settings # of web", "name: settings\n  labels: {a: b}", 1), "ClusterPolicy x copies it"},
		"a clone by a variable": {policyOf("kind: ConfigMap, clone: {namespace: platform, name: '{{x}}'}") + inPlatform, "ClusterPolicy x copies it"},
		"a clone for each": {policyOf("foreach: [{kind: ConfigMap, clone: {namespace: platform, name: '{{element}}'}}]") + inPlatform,
			"ClusterPolicy x copies it"},
		"a list in CEL":         {generating(`resource.List("v1", "configmaps", "platform")`) + inPlatform, "GeneratingPolicy x copies it"},
		"a name in CEL":         {generating(`resource.Get("v1", "configmaps", "platform", object.metadata.name)`) + inPlatform, "GeneratingPolicy x copies it"},
		"a namespace in CEL":    {generating(`resource.List("v1", "configmaps", object.metadata.namespace + "-x")`) + inPlatform, "GeneratingPolicy x copies it"},
		"all that is known not": {generating(`resource.Get("v1", variables.what, "platf" + "orm", "a" + "b")`) + inPlatform, "GeneratingPolicy x copies it"},
		"twice":                 {settingsMap + settingsMap + readsSettings, "it is in the input twice"},
		"live": {settingsMap + strings.Replace(strings.Replace(readsSettings, "{name: settings, labels",
			"{name: settings, annotations: {rollstamp.dev/live-volumes: \"true\"}, labels", 1),
			"      - name: c\n", "      - name: c\n        volumeMounts: [{name: settings, mountPath: /etc}]\n", 1), "live volumes"},
		"a long name": {strings.ReplaceAll(settingsMap, "name: settings", "name: "+long) + strings.ReplaceAll(readsSettings, "configMapRef: {name: settings", "configMapRef: {name: "+long), "too long"},
		"an anchor": {settingsMap + strings.Replace(strings.Replace(readsSettings, "configMapRef: {name: settings", "configMapRef: {name: &n settings", 1), "configMap: {name: settings}}\n", "configMap: {name: *n}}\n", 1),
			"not simple"},
		"SOPS": {"apiVersion: v1\nkind: Secret\nmetadata: {name: settings}\nstringData: {P: 'ENC[x]'}\nsops: {mac: x}\n---\n" + readsSettings,
			"SOPS"},
		"a token": {"apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: settings}\n---\n" + readsSettings,
			"knows it by its name"},
		"strictly sealed": {sealed("") + readsSettings, "sealed for this name"},
		"another word than true": {sealed(`, annotations: {sealedsecrets.bitnami.com/cluster-wide: "yes"}`) + readsSettings,
			"sealed for this name"},
		"a scope of what comes out": {inTemplate("", `metadata: {annotations: {sealedsecrets.bitnami.com/cluster-wide: "true"}}`),
			"sealed for this name"},
		"merged into another": {inTemplate(clusterWide, `metadata: {annotations: {sealedsecrets.bitnami.com/patch: "true"}}`),
			"merged into a Secret of this name"},
		"a sealed token": {inTemplate(clusterWide, "type: kubernetes.io/service-account-token"), "knows it by its name"},
		"what is pushed elsewhere": {passwordSecret + readsSettings +
			"apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: x}\nspec: {selector: {secret: {name: settings}}}\n", "PushSecret x mentions it"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planOf(t, []byte(c.text), renaming())
			if err != nil {
				t.Fatal(err)
			}
			found := findingsOf(p, diag.NameStays)
			if len(found) != 1 || !strings.Contains(found[0].Message, c.why) {
				t.Errorf("%v", found)
			}
			annotated, err := planOf(t, []byte(c.text), Options{})
			if err != nil || string(bytesOf(t, p)) != string(bytesOf(t, annotated)) {
				t.Errorf("more than annotations: %v\n%s", err, bytesOf(t, p))
			}
		})
	}
}

// inPlatform are a ConfigMap and what reads it, in the namespace platform.
var inPlatform = strings.Replace(settingsMap, "name: settings # of web", "name: settings # of web\n  namespace: platform", 1) +
	strings.Replace(readsSettings, "metadata: {name: settings,", "metadata: {name: settings, namespace: platform,", 1)

func policyOf(generate string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: first}\n---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: x}\n" +
		"spec: {rules: [{name: a, match: {any: [{resources: {kinds: [Namespace]}}]}, generate: {namespace: '{{n}}', " + generate + "}}]}\n---\n"
}

func generating(expression string) string {
	return "apiVersion: policies.kyverno.io/v1\nkind: GeneratingPolicy\nmetadata: {name: x}\nspec:\n  variables:\n" +
		"  - {name: all, expression: '" + expression + "'}\n  generate:\n" +
		"  - {expression: 'generator.Apply(object.metadata.name, variables.all)'}\n---\n"
}

func TestANameCarriesADigestWhereAPolicyClonesOthers(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]string{
		"of another kind":      policyOf("cloneList: {namespace: platform, kinds: [v1/Secret]}"),
		"of another namespace": policyOf("cloneList: {namespace: shop, kinds: [v1/ConfigMap]}"),
		"that are chosen":      policyOf("cloneList: {namespace: platform, kinds: [v1/ConfigMap], selector: {matchLabels: {a: b}}}"),
		"by name":              policyOf("kind: ConfigMap, name: others, clone: {namespace: platform, name: others}"),
		"by a list in CEL":     generating(`resource.List("v1", "secrets", "platform")`),
		"of services in CEL":   generating(`resource.List("v1", "services", "platform")`),
		"by name in CEL":       generating(`resource.Get("v1", "configmaps", "platform", "others")`),
		"elsewhere in CEL":     generating(`resource.List("v1", "configmaps", "shop")`),
	} {
		t.Run(name, func(t *testing.T) {
			out, p := stampedText(t, policy+inPlatform, renaming())
			if nameIn(out, "settings") == "" || len(findingsOf(p, diag.NameStays)) > 0 {
				t.Errorf("%v\n%s", p.Findings, out)
			}
		})
	}
}

const clusterWide = `, annotations: {sealedsecrets.bitnami.com/cluster-wide: "true"}`

// inTemplate returns a SealedSecret with that in its template, and what reads it.
func inTemplate(annotations, template string) string {
	return strings.Replace(sealed(annotations), "metadata: {name: settings}}}", template+"}}", 1) + readsSettings
}

func sealed(annotations string) string {
	return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: settings" + annotations +
		"}\nspec: {encryptedData: {P: QUJD}, template: {metadata: {name: settings}}}\n---\n"
}

func TestASealedSecretIsRenamedWhereItsScopeIsWide(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"namespace-wide", "cluster-wide"} {
		out, p := stampedText(t, sealed(`, annotations: {sealedsecrets.bitnami.com/`+scope+`: "true"}`)+readsSettings, renaming())
		if name := nameIn(out, "settings"); name == "" || strings.Count(out, name) != 3 || len(findingsOf(p, diag.NameStays)) > 0 {
			t.Errorf("%q %v\n%s", name, p.Findings, out)
		}
	}
}

func TestWhatKustomizeGeneratedIsRolledByItsName(t *testing.T) {
	t.Parallel()
	// kustomize build with configMapGenerator: [{name: settings, literals: [LEVEL=info]}]
	text := strings.ReplaceAll(settingsMap, "settings # of web", "settings-2748f727mg") +
		strings.ReplaceAll(readsSettings, "{name: settings}", "{name: settings-2748f727mg}")
	p, err := planOf(t, []byte(text), renaming())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(bytesOf(t, p)), "checksum") || len(findingsOf(p, diag.RolledByName)) == 0 {
		t.Errorf("%v\n%s", p.Findings, bytesOf(t, p))
	}
}

func TestAHashOfWhatIsDecryptedIsInNoStamp(t *testing.T) {
	t.Parallel()
	const name = "login-d292k9tbmg"
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + "}\ntype: Opaque\ndata: {P: " + value + "}\n"
	}
	text := secret("RU5DW2FdCg==") + "---\n" + strings.ReplaceAll(readsSettings, "settings", name)
	for plaintext, want := range map[string]bool{"eA==": false, "eQ==": true} { // where variables change it, its name stays
		decrypted := []redact.Secret{redact.New([]byte(secret(plaintext)))}
		r, err := Make(t.Context(), &render.Output{Text: []byte(text), Decrypted: decrypted}, Options{Key: givenKey(t)})
		if err != nil {
			t.Fatal(err)
		}
		out := string(bytesOf(t, &planned{r.Plan, r.Text}))
		if strings.Contains(out, "/secret."+name) != want || len(findingsOf(&planned{r.Plan, r.Text}, diag.RolledByName)) > 0 == want {
			t.Errorf("%s: %v\n%s", plaintext, r.Plan.Findings, out)
		}
	}
}

func TestEarlierContentsOutliveTheRollout(t *testing.T) {
	t.Parallel()
	earlier := []byte(nil)
	var names []string
	for _, level := range []string{"info", "debug", "trace", "debug", "info"} {
		text := strings.Replace(settingsMap, "info", level, 1) + strings.TrimSuffix(readsSettings, "---\n")
		opts := renaming()
		opts.Settings.Suffix.Keep.Value = 2
		opts.Earlier = earlier
		out, p := stampedText(t, text, opts)
		for _, r := range p.Workloads[0].References {
			if r.Kind == "ConfigMap" {
				names = append(names, r.Renamed)
			}
		}
		committed := opts
		committed.Earlier = []byte(out)
		if again, _ := stampedText(t, text, committed); again != out {
			t.Errorf("what is committed is not what is rendered:\n%s\n%s", out, again)
		}
		earlier = []byte(out)
	}
	last := string(earlier)
	for i, name := range names[2:] {
		if !strings.Contains(last, "name: "+name) {
			t.Errorf("%d: %s is gone:\n%s", i, name, last)
		}
	}
	if n := strings.Count(last, "kind: ConfigMap"); n != 3 || strings.Count(last, keptMark) != 2 {
		t.Errorf("%d ConfigMaps:\n%s", n, last)
	}
}

func TestTheFirstNameKeepsTheContentWithout(t *testing.T) {
	t.Parallel()
	opts := renaming()
	opts.Earlier = []byte(settingsMap + readsSettings)
	out, _ := stampedText(t, strings.Replace(settingsMap, "info", "debug", 1)+strings.TrimSuffix(readsSettings, "---\n"), opts)
	if !strings.Contains(out, "  name: settings # of web\ndata:\n  LEVEL: info\n") || strings.Count(out, keptMark) != 1 {
		t.Errorf("%s", out)
	}
}

func TestInstructionsForEnginesAreWrittenAndTakenBack(t *testing.T) {
	t.Parallel()
	annotated := strings.Replace(settingsMap, "metadata:\n",
		"metadata:\n  annotations: {argocd.argoproj.io/sync-options: Replace=true}\n", 1)
	for prune, want := range map[config.Prune][]string{
		config.PruneLast:  {argoOptions + ": PruneLast=true", pruneMark + ": argocd\n"},
		config.PruneNever: {argoOptions + ": Prune=false", fluxPrune + ": disabled", pruneMark + ": argocd.flux"},
	} {
		opts := renaming()
		opts.Settings.Suffix.Prune.Value = prune
		out, _ := stampedText(t, settingsMap+readsSettings, opts)
		for _, line := range want {
			if !strings.Contains(out, line) {
				t.Errorf("%q is not in\n%s", line, out)
			}
		}
		out, p := stampedText(t, annotated+readsSettings, opts)
		if strings.Count(out, argoOptions) != 1 || !strings.Contains(out, "Replace=true") {
			t.Errorf("instructions of somebody else are changed:\n%s", out)
		}
		found := findingsOf(p, diag.PruneNotWritten)
		if len(found) != 1 || !strings.Contains(found[0].Message, want[0][len(argoOptions)+2:]) {
			t.Errorf("%v", found)
		}
		out = strings.Replace(annotated, "Replace=true", "'Replace=true, Prune=false'", 1) + readsSettings
		if _, p = stampedText(t, out, opts); len(findingsOf(p, diag.PruneNotWritten)) > 0 {
			t.Errorf("what is there is reported to be missing: %v", p.Findings)
		}
	}
}

func TestAnEarlierContentIsNoObjectOfTheInput(t *testing.T) {
	t.Parallel()
	kept := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, annotations: {" + keptMark + ": earlier}}\ndata: {LEVEL: old}\n"
	bare := settingsMap + strings.TrimSuffix(readsSettings, "---\n")
	text := []byte(bare + "---\n" + kept)
	p, err := planOf(t, text, Options{})
	if err != nil || string(bytesOf(t, p)) != string(mustStamp(t, bare)) {
		t.Errorf("%v\n%s", err, bytesOf(t, p))
	}
	if got, err := Unstamp(context.Background(), text, Options{}); err != nil || string(got) != bare {
		t.Errorf("%v\n%s", err, got)
	}
}

func mustStamp(t *testing.T, text string) []byte {
	t.Helper()
	p, err := planOf(t, []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return bytesOf(t, p)
}

func TestReferencesOfRulesFollowANameAndHaveAnAnnotation(t *testing.T) {
	t.Parallel()
	text := settingsMap + `apiVersion: example.org/v1
kind: Server
metadata: {name: x}
spec:
  podAnnotations: {}
  config: settings
`
	opts := renaming()
	field := func(names ...string) (p config.Path) {
		for _, name := range names {
			p = p.Field(name)
		}
		return p
	}
	opts.Settings.Kinds.Value = []config.KindRule{{Group: "example.org", Kind: "Server",
		Annotations: field("spec", "podAnnotations"),
		References:  []config.ReferenceRule{{Path: field("spec", "config"), Kind: "ConfigMap"}}}}
	p, err := planOf(t, []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	out := string(bytesOf(t, p))
	if name := nameIn(out, "settings"); name == "" || !strings.Contains(out, "config: "+name) ||
		!strings.Contains(out, "configmap.settings: v1-") {
		t.Errorf("%v\n%s", p.Findings, out)
	}
	back, err := Unstamp(context.Background(), []byte(out), opts)
	if err != nil || string(back) != text {
		t.Errorf("%v\n%s", err, back)
	}
}

// A document that has to be encoded again is simple YAML then, in which names can be written over: at once, and not
// only when the output is stamped again.
func TestNamesFollowWhereADocumentIsEncodedAgain(t *testing.T) {
	t.Parallel()
	text := settingsMap + strings.Replace(readsSettings, "    metadata: {labels: {app: settings}}\n",
		"    metadata:\n      annotations: &none\n      labels: {app: settings}\n", 1)
	p, err := planOf(t, []byte(text), renaming())
	if err != nil {
		t.Fatal(err)
	}
	once := bytesOf(t, p)
	if n := strings.Count(messages(p), encodedAgain); n != 1 || nameIn(string(once), "settings") == "" {
		t.Errorf("%d documents are said to be encoded again in\n%s", n, once)
	}
	again, err := planOf(t, once, renaming())
	if err != nil || again.HasChanges() {
		t.Errorf("another time\n%s\nbecomes\n%s (%v)", once, bytesOf(t, again), err)
	}
}

// Where only an annotation of another tool names an object, no reference changes with its name.
func TestWhatIsReadByAnAnnotationAloneHasADigestBesideTheName(t *testing.T) {
	t.Parallel()
	named := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\nspec:\n  template:\n    metadata:\n" +
		"      annotations: {fluxcd.controlplane.io/checksumFrom: ConfigMap/p/settings}\n    spec: {containers: [{name: c}]}\n---\n"
	opts := renaming()
	opts.Settings.Compat.FluxOperator.Value, opts.Namespace = config.CompatHonour, "p"
	text := settingsMap + strings.Replace(readsSettings, "- name: settings\n        envFrom", "- name: init\n        envFrom", 1)
	p, err := planOf(t, []byte(text+named), opts)
	if err != nil {
		t.Fatal(err)
	}
	once := string(bytesOf(t, p))
	if len(p.Renames) != 1 || strings.Count(once, "checksum.rollstamp.dev/configmap.settings: v1-") != 1 {
		t.Errorf("names that carry digests are %v in\n%s", p.Renames, once)
	}
	if again, err := planOf(t, []byte(once), opts); err != nil || again.HasChanges() {
		t.Errorf("another time\n%s\nbecomes\n%s (%v)", once, bytesOf(t, again), err)
	}
}
