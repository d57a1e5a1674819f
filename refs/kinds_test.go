package refs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
)

// nested puts a value below a dotted path; "[]" after a field makes it a list of one.
func nested(path string, value any) map[string]any {
	field, rest, more := strings.Cut(path, ".")
	if more {
		value = nested(rest, value)
	}
	if name, list := strings.CutSuffix(field, "[]"); list {
		field, value = name, []any{value}
	}
	return map[string]any{field: value}
}

// jsonObject writes an object with further top fields.
func jsonObject(t testing.TB, apiVersion, kind string, more map[string]any) string {
	t.Helper()
	more["apiVersion"], more["kind"], more["metadata"] = apiVersion, kind, map[string]any{"name": "x"}
	b, err := json.Marshal(more)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// kindRows say what the built-in table is to know: where the pod template is ("" is the object itself) and whether it
// is stamped.
var kindRows = []struct {
	apiVersion, kind, template string
	stamping                   Stamping
}{
	{"apps/v1", "Deployment", "spec.template", ByDefault},
	{"apps/v1beta1", "Deployment", "spec.template", ByDefault},
	{"extensions/v1beta1", "Deployment", "spec.template", ByDefault},
	{"apps/v1", "StatefulSet", "spec.template", ByDefault},
	{"apps.kruise.io/v1beta1", "StatefulSet", "spec.template", ByDefault},
	{"apps/v1", "DaemonSet", "spec.template", ByDefault},
	{"extensions/v1beta1", "DaemonSet", "spec.template", ByDefault},
	{"apps.kruise.io/v1alpha1", "DaemonSet", "spec.template", ByDefault},
	{"apps/v1", "ReplicaSet", "spec.template", WhenFollowed},
	{"extensions/v1beta1", "ReplicaSet", "spec.template", WhenFollowed},
	{"v1", "ReplicationController", "spec.template", OnRequest},
	{"batch/v1", "Job", "spec.template", OnRequest},
	{"batch/v1", "CronJob", "spec.jobTemplate.spec.template", OnRequest},
	{"batch/v1beta1", "CronJob", "spec.jobTemplate.spec.template", OnRequest},
	{"v1", "Pod", "", OnRequest},
	{"v1", "PodTemplate", "template", WhenFollowed},
	{"argoproj.io/v1alpha1", "Rollout", "spec.template", ByDefault},
	{"apps.openshift.io/v1", "DeploymentConfig", "spec.template", ByDefault},
	{"v1", "DeploymentConfig", "spec.template", ByDefault},
	{"serving.knative.dev/v1", "Service", "spec.template", ByDefault},
	{"serving.knative.dev/v1", "Configuration", "spec.template", ByDefault},
	{"serving.knative.dev/v1", "Revision", "", OnRequest},
	{"apps.kruise.io/v1alpha1", "CloneSet", "spec.template", ByDefault},
	{"apps.kruise.io/v1alpha1", "BroadcastJob", "spec.template", OnRequest},
	{"apps.kruise.io/v1alpha1", "AdvancedCronJob", "spec.template.jobTemplate.spec.template", OnRequest},
	{"apps.kruise.io/v1alpha1", "AdvancedCronJob", "spec.template.broadcastJobTemplate.spec.template", OnRequest},
	{"apps.kruise.io/v1alpha1", "SidecarSet", "", OnRequest},
	{"apps.kruise.io/v1alpha1", "UnitedDeployment", "spec.template.statefulSetTemplate.spec.template", ByDefault},
	{"apps.kruise.io/v1alpha1", "UnitedDeployment", "spec.template.advancedStatefulSetTemplate.spec.template", ByDefault},
	{"apps.kruise.io/v1alpha1", "UnitedDeployment", "spec.template.cloneSetTemplate.spec.template", ByDefault},
	{"apps.kruise.io/v1alpha1", "UnitedDeployment", "spec.template.deploymentTemplate.spec.template", ByDefault},
	{"kibana.k8s.elastic.co/v1", "Kibana", "spec.podTemplate", ByDefault},
	{"apm.k8s.elastic.co/v1", "ApmServer", "spec.podTemplate", ByDefault},
	{"enterprisesearch.k8s.elastic.co/v1", "EnterpriseSearch", "spec.podTemplate", ByDefault},
	{"logstash.k8s.elastic.co/v1alpha1", "Logstash", "spec.podTemplate", ByDefault},
	{"maps.k8s.elastic.co/v1alpha1", "ElasticMapsServer", "spec.podTemplate", ByDefault},
	{"beat.k8s.elastic.co/v1beta1", "Beat", "spec.daemonSet.podTemplate", ByDefault},
	{"beat.k8s.elastic.co/v1beta1", "Beat", "spec.deployment.podTemplate", ByDefault},
	{"agent.k8s.elastic.co/v1alpha1", "Agent", "spec.daemonSet.podTemplate", ByDefault},
	{"agent.k8s.elastic.co/v1alpha1", "Agent", "spec.deployment.podTemplate", ByDefault},
	{"agent.k8s.elastic.co/v1alpha1", "Agent", "spec.statefulSet.podTemplate", ByDefault},
	{"postgresql.cnpg.io/v1", "Pooler", "spec.template", ByDefault},
	{"mongodbcommunity.mongodb.com/v1", "MongoDBCommunity", "spec.statefulSet.spec.template", ByDefault},
	{"rabbitmq.com/v1beta1", "RabbitmqCluster", "spec.override.statefulSet.spec.template", ByDefault},
	{"grafana.integreatly.org/v1beta1", "Grafana", "spec.deployment.spec.template", ByDefault},
	{"pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", "spec.deploymentTemplate.spec.template", ByDefault},
	{"keda.sh/v1alpha1", "ScaledJob", "spec.jobTargetRef.template", OnRequest},
}

func TestEveryKindOfTheTableHoldsItsPodTemplateWhereItsAPISaysSo(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	for _, row := range kindRows {
		t.Run(row.apiVersion+" "+row.kind+" "+row.template, func(t *testing.T) {
			spec := nested("spec.containers[].envFrom[].configMapRef.name", "app")
			if row.template != "" {
				spec = nested(row.template, spec)
			}
			text := jsonObject(t, row.apiVersion, row.kind, spec)
			found := templates(t, table, text)
			if len(found) != 1 {
				t.Fatalf("%d templates in\n%s", len(found), text)
			}
			if got := fmt.Sprint(found[0].Annotations); got != "[metadata annotations]" {
				t.Errorf("stamps go to %s", got)
			}
			if got := keysOf(found[0].References, func(Reference) bool { return true }); !reflect.DeepEqual(got, map[string][]string{"ConfigMap app": nil}) {
				t.Errorf("found %v", got)
			}
			if got := table.Rows(object(t, text))[0].Stamping; got != row.stamping {
				t.Errorf("stamping is %d, want %d", got, row.stamping)
			}
		})
	}
}

func TestEveryRowOfTheTableIsTested(t *testing.T) {
	t.Parallel()
	for _, k := range builtinKinds() {
		for _, g := range k.Groups {
			tested := slices.ContainsFunc(operatorRows, func(r operatorRow) bool {
				return k.rule != nil && strings.HasPrefix(r.text, "apiVersion: "+g+"/") && strings.Contains(r.text, "\nkind: "+k.Kind+"\n")
			})
			for _, row := range kindRows {
				group, _, slash := strings.Cut(row.apiVersion, "/")
				if !slash {
					group = ""
				}
				tested = tested || row.kind == k.Kind && group == g && row.template == strings.Join(k.Template, ".")
			}
			if !tested {
				t.Errorf("%s of group %q at %v has no row in this test", k.Kind, g, k.Template)
			}
		}
	}
}

func TestAKindOfAnotherGroupIsNotTaken(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	for _, o := range [][2]string{
		{"v1", "Service"}, {"v1", "Deployment"}, {"example.com/v1", "Deployment"}, {"apps.example.com/v1", "Deployment"}, {"apps/v1", "Pod"},
		{"apps/v1", "CronJob"}, {"apps/v1", "Job"}, {"v1", "StatefulSet"}, {"example.com/v1", "Rollout"}, {"config.openshift.io/v1", "Configuration"},
		{"pkg.crossplane.io/v1", "Configuration"}, {"apps/v1", "CloneSet"}, {"extensions/v1beta1", "StatefulSet"}, {"apps.kruise.io/v1", "Deployment"},
		{"apps/v1", "deployment"}, {"apps/v1", "DeploymentConfig"}, {"apps", "Deployment"},
	} {
		text := jsonObject(t, o[0], o[1], nested("spec.template.spec.containers[].envFrom[].configMapRef.name", "app"))
		if rows := table.Rows(object(t, text)); len(rows) > 0 {
			t.Errorf("%s %s is taken for a workload", o[0], o[1])
		}
	}
}

func TestARolloutThatNamesItsDeploymentHasNoTemplate(t *testing.T) {
	t.Parallel()
	text := `{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"x"},"spec":{"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`
	if found := templates(t, NewTable(config.MaxLevel, nil), text); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

func TestLevelZeroOfCoverageKnowsNothing(t *testing.T) {
	t.Parallel()
	table := NewTable(0, nil)
	text := jsonObject(t, "apps/v1", "Deployment", nested("spec.template.spec.containers[].envFrom[].configMapRef.name", "app"))
	if rows := table.Rows(object(t, text)); len(rows) != 0 {
		t.Errorf("a row of level 1 is in force at level 0")
	}
	if len(table.pod.below) != len(containerLists) { // these stay, for their mounts
		t.Errorf("positions of level 1 are in force at level 0: %d", len(table.pod.below))
	}
}

func TestEveryVolumePluginThatTakesASecretIsFound(t *testing.T) {
	t.Parallel()
	plugins := map[string]struct {
		path string
		form Form
		kind string
	}{
		"azureFile":               {"azureFile.secretName", "azureFile", Secret},
		"cephfs":                  {"cephfs.secretRef.name", "cephfs", Secret},
		"cinder":                  {"cinder.secretRef.name", "cinder", Secret},
		"flexVolume":              {"flexVolume.secretRef.name", "flexVolume", Secret},
		"iscsi":                   {"iscsi.secretRef.name", "iscsi", Secret},
		"rbd":                     {"rbd.secretRef.name", "rbd", Secret},
		"scaleIO":                 {"scaleIO.secretRef.name", "scaleIO", Secret},
		"storageos":               {"storageos.secretRef.name", "storageos", Secret},
		"CSI, to publish":         {"csi.nodePublishSecretRef.name", "csi.nodePublishSecretRef", Secret},
		"CSI, the class":          {"csi.volumeAttributes.secretProviderClass", FormCSI, SecretProviderClass},
		"ConfigMap":               {"configMap.name", FormVolume, ConfigMap},
		"Secret":                  {"secret.secretName", FormVolume, Secret},
		"ConfigMap, projected":    {"projected.sources[].configMap.name", FormProjected, ConfigMap},
		"Secret, projected":       {"projected.sources[].secret.name", FormProjected, Secret},
		"the image of a registry": {"", FormPull, Secret},
	}
	tested := map[string]bool{}
	for name, p := range plugins {
		t.Run(name, func(t *testing.T) {
			pod := nested("volumes[]."+p.path, "it")
			if p.path == "" {
				pod = nested("imagePullSecrets[].name", "it")
			}
			spec, err := json.Marshal(pod)
			if err != nil {
				t.Fatal(err)
			}
			found := ofPodSpec(t, spec)
			if len(found) != 1 || found[0].Kind != p.kind || found[0].Name != "it" || found[0].Form != p.form || !found[0].All {
				t.Errorf("found %+v", found)
			}
		})
		at := p.path[:max(strings.LastIndexByte(p.path, '.'), 0)]
		tested["volumes[]."+at], tested["imagePullSecrets[]"] = true, true
	}
	for _, p := range podPositions {
		if !tested[p.path] {
			t.Errorf("%s has no row in this test", p.path)
		}
	}
}

func TestReferencesComeInTheOrderOfTheTextWithTheirPlace(t *testing.T) {
	t.Parallel()
	text := `apiVersion: v1
kind: Pod
spec:
  volumes:
  - {name: v, secret: {secretName: b, optional: yes}}
  containers:
  - env:
    - valueFrom:
        configMapKeyRef: {name: a, key: k, optional: true}
    volumeMounts: [{name: v, mountPath: /v}]
  - envFrom:
    - secretRef: {name: b, optional: false}
    - configMapRef: {name: c}
`
	var got []string
	for _, r := range templates(t, NewTable(config.MaxLevel, nil), text)[0].References {
		line := 1 + strings.Count(text[:r.Offset], "\n")
		got = append(got, fmt.Sprintf("%d %s %s %s optional=%t", line, r.Form, r.Kind, r.Name, r.Optional))
	}
	want := []string{"5 volume Secret b optional=true", "9 env ConfigMap a optional=true", "12 envFrom Secret b optional=false", "13 envFrom ConfigMap c optional=false"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestWhatOneObjectHoldsIsNotSeenInTheNext(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	first := templates(t, table, `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"volumeMounts":[{"name":"v"}],"envFrom":[{"secretRef":{"name":"a"}}]}],"volumes":[{"name":"v","secret":{"secretName":"b"}}]}}`)
	second := templates(t, table, `{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"name":"v","secret":{"secretName":"c"}}]}}`)
	if got := second[0].References; len(got) != 1 || got[0].Name != "c" || got[0].VolumeIssue != Unmounted {
		t.Errorf("got %+v", got)
	}
	if got := first[0].References; len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("what was found first has changed: %+v", got)
	}
}

func TestWhatTheAPIServerTakesNoChangeOfIsThatOfItsOwnKinds(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	for version, want := range map[string]Fixed{
		"apps/v1": FixedSpec, "apps.kruise.io/v1beta1": NothingFixed,
	} {
		o := manifest.Object{APIVersion: version, Kind: "StatefulSet"}
		if got := table.Rows(o)[0].FixedFields(o.Group()); got != want {
			t.Errorf("StatefulSet of %s: %d, want %d", version, got, want)
		}
	}
	o := manifest.Object{APIVersion: "apps/v1", Kind: "Deployment"}
	if got := table.Rows(o)[0].FixedFields(o.Group()); got != FixedSelector {
		t.Errorf("Deployment: %d, want %d", got, FixedSelector)
	}
}
