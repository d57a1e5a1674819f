// Package defaults holds what rollstamp thinks an API server fills in against Kubernetes' own code. It is a module of
// its own, so that Kubernetes' own packages stay away from the product's dependencies.
package defaults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetes "k8s.io/kubernetes/pkg/apis/apps/v1"

	"github.com/rollstamp/rollstamp/diff"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/stamp"
)

// deployment is a Deployment around a pod template, as text.
func deployment(t *testing.T, template any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "d"},
		"spec": map[string]any{"template": template}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// restarts asks rollstamp.
func restarts(t *testing.T, from, to []byte) bool {
	t.Helper()
	return len(compare(t, from, to).Restarts) > 0
}

func compare(t *testing.T, from, to []byte) *diff.Comparison {
	t.Helper()
	side := func(text []byte) diff.Side {
		out := &render.Output{Text: text}
		stamped, err := stamp.Make(context.Background(), out, stamp.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return diff.Side{Apps: []*diff.App{{Render: pipeline.NewRendered(&pipeline.Result{Output: out, Result: *stamped})}}}
	}
	c, err := diff.Compare(side(from), side(to))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kept returns the pod template that an API server keeps.
func kept(t *testing.T, scheme *runtime.Scheme, text []byte) *corev1.PodTemplateSpec {
	t.Helper()
	var d appsv1.Deployment
	if err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096).Decode(&d); err != nil {
		t.Fatal(err)
	}
	scheme.Default(&d)
	s := &d.Spec.Template.Spec
	// The conversion to the internal form makes the old name of the field and the new one the same.
	if s.ServiceAccountName == "" {
		s.ServiceAccountName = s.DeprecatedServiceAccount
	}
	s.DeprecatedServiceAccount = s.ServiceAccountName
	return &d.Spec.Template
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := kubernetes.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// parts are fields of a pod template, each in several ways to say the same or nearly the same.
var parts = map[string][]string{
	"spec.restartPolicy":                 {``, `"Always"`},
	"spec.dnsPolicy":                     {``, `"ClusterFirst"`, `"Default"`},
	"spec.schedulerName":                 {``, `"default-scheduler"`},
	"spec.terminationGracePeriodSeconds": {``, `30`, `0`, `31`},
	"spec.securityContext":               {``, `{}`, `{"runAsUser":0}`, `{"fsGroup":1}`, `null`},
	"spec.hostNetwork":                   {``, `false`, `true`},
	"spec.enableServiceLinks":            {``, `true`, `false`},
	"spec.automountServiceAccountToken":  {``, `true`, `false`},
	"spec.serviceAccountName":            {``, `"x"`, `""`},
	"spec.serviceAccount":                {``, `"x"`},
	"spec.nodeSelector":                  {``, `{}`, `{"a":"b"}`},
	"spec.tolerations":                   {``, `[]`, `[{"key":"a","operator":"Exists"}]`, `[{"key":"a"}]`},
	"spec.affinity":                      {``, `{}`, `{"nodeAffinity":{}}`},
	"spec.imagePullSecrets":              {``, `[]`, `[{"name":"a"}]`},
	"spec.initContainers":                {``, `[]`, `[{"name":"i","image":"i"}]`, `[{"name":"i","image":"i","imagePullPolicy":"Always"}]`},
	"spec.topologySpreadConstraints":     {``, `[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}]`},
	"spec.priorityClassName":             {``, `""`, `"p"`},
	"metadata.creationTimestamp":         {``, `null`},
	"metadata.labels":                    {`{"a":"b"}`, `{"a":"b","c":""}`},
	"metadata.annotations":               {``, `{}`, `{"a":"b"}`},
	"container.image":                    {`"a"`, `"a:latest"`, `"a:1"`, `"r:5000/a"`, `"r:5000/a:1"`, `"a@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`},
	"container.imagePullPolicy":          {``, `"Always"`, `"IfNotPresent"`},
	"container.ports":                    {``, `[]`, `[{"containerPort":80}]`, `[{"containerPort":80,"protocol":"TCP"}]`, `[{"containerPort":80,"protocol":"UDP"}]`, `[{"containerPort":80,"hostPort":0}]`},
	"container.env": {``, `[]`, `[{"name":"A"}]`, `[{"name":"A","value":""}]`, `[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`,
		`[{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}]`, `[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k","optional":false}}}]`,
		`[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]`, `[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}]`,
		`[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}]`},
	"container.resources": {``, `{}`, `{"limits":{"cpu":"1000m"}}`, `{"limits":{"cpu":1}}`, `{"limits":{"cpu":"1"}}`, `{"limits":{"cpu":"1","memory":"1Gi"}}`,
		`{"limits":{"cpu":"1","memory":"1024Mi"}}`, `{"limits":{"cpu":"0.0001"}}`, `{"limits":{"cpu":"1m"}}`, `{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}`},
	"container.securityContext": {``, `{}`, `{"privileged":false}`, `{"capabilities":{}}`, `{"capabilities":{"drop":["ALL"]}}`},
	"container.livenessProbe": {``, `{"httpGet":{"port":80}}`, `{"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}`,
		`{"httpGet":{"port":"80"}}`, `{"grpc":{"port":80}}`, `{"grpc":{"port":80,"service":""}}`, `{"exec":{"command":["a"]},"initialDelaySeconds":0}`, `{"tcpSocket":{"port":80}}`},
	"container.lifecycle":                {``, `{"preStop":{"httpGet":{"port":80}}}`, `{"preStop":{"httpGet":{"port":80,"path":"/","scheme":"HTTP"}}}`, `{"preStop":{"sleep":{"seconds":5}}}`, `{}`},
	"container.terminationMessagePath":   {``, `"/dev/termination-log"`, `"/x"`},
	"container.terminationMessagePolicy": {``, `"File"`, `"FallbackToLogsOnError"`},
	"container.args":                     {``, `[]`, `["a","b"]`, `["b","a"]`},
	"container.stdin":                    {``, `false`, `true`},
	"container.volumeMounts":             {``, `[{"name":"v","mountPath":"/v"}]`, `[{"name":"v","mountPath":"/v","readOnly":false}]`, `[{"name":"v","mountPath":"/v","subPath":""}]`},
	"volume": {``, `{}`, `{"emptyDir":{}}`, `{"emptyDir":{"sizeLimit":"1Gi"}}`, `{"emptyDir":{"sizeLimit":"1024Mi"}}`, `{"configMap":{"name":"c"}}`, `{"configMap":{"name":"c","defaultMode":420}}`,
		`{"configMap":{"name":"c","defaultMode":384}}`, `{"secret":{"secretName":"c"}}`, `{"secret":{"secretName":"c","defaultMode":420}}`, `{"hostPath":{"path":"/h"}}`, `{"hostPath":{"path":"/h","type":""}}`,
		`{"projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}`, `{"projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":3600}}]}}`,
		`{"projected":{"sources":[{"downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"metadata.name"}}]}}]}}`,
		`{"projected":{"sources":[{"downwardAPI":{"items":[{"path":"p","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}]}}]}}`,
		`{"downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"metadata.name"}}]}}`, `{"downwardAPI":{"defaultMode":420,"items":[{"path":"p","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}]}}`,
		`{"iscsi":{"targetPortal":"p","iqn":"i","lun":0}}`, `{"iscsi":{"targetPortal":"p","iqn":"i","lun":0,"iscsiInterface":"default"}}`,
		`{"rbd":{"monitors":["m"],"image":"i"}}`, `{"rbd":{"monitors":["m"],"image":"i","pool":"rbd","user":"admin","keyring":"/etc/ceph/keyring"}}`,
		`{"azureDisk":{"diskName":"d","diskURI":"u"}}`, `{"azureDisk":{"diskName":"d","diskURI":"u","cachingMode":"ReadWrite","fsType":"ext4","readOnly":false,"kind":"Shared"}}`,
		`{"scaleIO":{"gateway":"g","system":"s","secretRef":{"name":"x"}}}`, `{"scaleIO":{"gateway":"g","system":"s","secretRef":{"name":"x"},"storageMode":"ThinProvisioned","fsType":"xfs"}}`,
		`{"image":{"reference":"a"}}`, `{"image":{"reference":"a","pullPolicy":"Always"}}`,
		`{"ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"]}}}}`, `{"ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"volumeMode":"Filesystem"}}}}`,
		`{"csi":{"driver":"d"}}`, `{"nfs":{"server":"s","path":"/p"}}`, `{"persistentVolumeClaim":{"claimName":"c"}}`, `{"persistentVolumeClaim":{"claimName":"c","readOnly":false}}`},
}

// build makes a template of one choice for each part; choice -1 leaves a part out.
func build(t *testing.T, choose func(part string, of int) int) map[string]any {
	t.Helper()
	tables := map[string]map[string]any{"spec": {}, "metadata": {}, "container": {"name": "c"}}
	for part, ways := range parts {
		text := ways[choose(part, len(ways))]
		if text == "" {
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if part == "volume" {
			v := value.(map[string]any)
			v["name"] = "v"
			tables["spec"]["volumes"] = []any{v}
			continue
		}
		for name, table := range tables {
			if field, ok := bytes.CutPrefix([]byte(part), []byte(name+".")); ok {
				table[string(field)] = value
			}
		}
	}
	tables["spec"]["containers"] = []any{tables["container"]}
	return map[string]any{"metadata": tables["metadata"], "spec": tables["spec"]}
}

// TestAFieldRestartsExactlyWhereKubernetesSeesAChange compares every two ways of saying each field, and whole templates
// at random.
func TestAFieldRestartsExactlyWhereKubernetesSeesAChange(t *testing.T) {
	scheme := newScheme(t)
	seen := map[bool]int{}
	check := func(what string, a, b map[string]any) {
		from, to := deployment(t, a), deployment(t, b)
		want := !equality.Semantic.DeepEqual(kept(t, scheme, from), kept(t, scheme, to))
		seen[want]++
		if got := restarts(t, from, to); got != want {
			t.Errorf("%s: rollstamp says restart=%v, Kubernetes %v\n%s\n%s", what, got, want, from, to)
		}
	}
	first := func(string, int) int { return 0 }
	for part, ways := range parts {
		for i := range ways {
			for j := range ways {
				with := func(n int) map[string]any {
					return build(t, func(p string, of int) int {
						if p == part {
							return n
						}
						return first(p, of)
					})
				}
				check(fmt.Sprintf("%s %s to %s", part, ways[i], ways[j]), with(i), with(j))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := build(t, func(_ string, of int) int { return random.IntN(of) })
		text, err := json.Marshal(kept(t, scheme, deployment(t, a)))
		if err != nil {
			t.Fatal(err)
		}
		var asKept map[string]any
		if err := json.Unmarshal(text, &asKept); err != nil {
			t.Fatal(err)
		}
		check("a template, and the same as it is kept", a, asKept)
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("%d restarts and %d others: too few that mean something", seen[true], seen[false])
	}
	t.Logf("%d pairs that restart, %d that do not", seen[true], seen[false])
}
