package defaults

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/apps/v1"
	api "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	apps1 "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	core1 "k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/rollstamp/rollstamp/diff"
)

// serverScheme reads, defaults and converts as an API server does.
func serverScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, apps.AddToScheme,
		core.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// stored returns an object as an API server has it before it is validated.
func stored[T runtime.Object](
	t *testing.T,
	scheme *runtime.Scheme,
	text string,
	external runtime.Object,
	internal T,
) T {
	t.Helper()
	if err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096).Decode(external); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	scheme.Default(external)
	if err := scheme.Convert(external, internal, nil); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return internal
}

// workload is one of a kind with further fields of its spec, and its selector and labels.
func workload(kind, spec, selector, labels string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: %s, metadata: {name: w, namespace: n, resourceVersion: '1'}, spec: {%s selector: %s, "+
		"template: {metadata: {labels: %s}, spec: {containers: [{name: c, image: i}]}}}}", kind, spec, selector, labels)
}

const (
	app   = "{matchLabels: {a: b}}"
	label = "{a: b}"
	claim = "volumeClaimTemplates: [{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce]%s, resources: {requests: {storage: %s}}}}], "
)

// variants are ways to write an object of a kind, each pair of which is a change that somebody may make.
var variants = map[string][]string{
	"Deployment": {
		workload("Deployment", "", app, label), workload("Deployment", "replicas: 3, ", app, label),
		workload("Deployment", "", "{matchLabels: {a: c}}", "{a: c}"), workload("Deployment", "", app, "{a: b, c: d}"),
		workload("Deployment", "", "{matchExpressions: [{key: a, operator: In, values: [b]}]}", label),
		workload("Deployment", "", "{matchLabels: {a: b}, matchExpressions: []}", label),
		workload("Deployment", "", app, "{a: c}"),
	},
	"DaemonSet": {
		workload("DaemonSet", "", app, label), workload("DaemonSet", "minReadySeconds: 3, ", app, label),
		workload("DaemonSet", "", "{matchLabels: {a: c}}", "{a: c}"), workload("DaemonSet", "", app, "{c: d}"),
	},
	"ReplicaSet": {
		workload("ReplicaSet", "", app, label), workload("ReplicaSet", "", "{matchLabels: {a: c}}", "{a: c}"),
		workload("ReplicaSet", "replicas: 0, ", app, label),
	},
	"StatefulSet": {
		workload("StatefulSet", "", app, label), workload("StatefulSet", "serviceName: s, ", app, label),
		workload("StatefulSet", "serviceName: '', ", app, label), workload("StatefulSet", "replicas: 2, minReadySeconds: 1, revisionHistoryLimit: 3, ", app, label),
		workload("StatefulSet", "updateStrategy: {type: OnDelete}, ordinals: {start: 1}, ", app, label),
		workload("StatefulSet", "podManagementPolicy: OrderedReady, ", app, label), workload("StatefulSet", "podManagementPolicy: Parallel, ", app, label),
		workload("StatefulSet", "persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}, ", app, label),
		workload("StatefulSet", "volumeClaimTemplates: [], ", app, label),
		workload("StatefulSet", fmt.Sprintf(claim, "", "1Gi"), app, label), workload("StatefulSet", fmt.Sprintf(claim, "", "1024Mi"), app, label),
		workload("StatefulSet", fmt.Sprintf(claim, "", "2Gi"), app, label), workload("StatefulSet", fmt.Sprintf(claim, ", volumeMode: Filesystem", "1Gi"), app, label),
		workload("StatefulSet", fmt.Sprintf(claim, ", storageClassName: fast", "1Gi"), app, label),
		workload("StatefulSet", strings.Replace(fmt.Sprintf(claim, "", "1Gi"), "[{metadata", "[{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Pending}, metadata", 1), app, label),
		workload("StatefulSet", "", "{matchLabels: {a: c}}", "{a: c}"), workload("StatefulSet", "", app, "{a: c}"),
	},
	"ConfigMap": configVariants("ConfigMap", "data: {a: b}", "data: {a: c}", "data: {a: b, c: d}", "binaryData: {a: Yg==}", "data: {}",
		"data: {a/b: c}", "data: {'..': c}", "binaryData: {'a b': Yg==}"),
	"Secret": configVariants("Secret", "data: {a: Yg==}", "stringData: {a: b}", "stringData: {a: c}", "data: {a: Yg==}, type: Opaque",
		"data: {a: Yg==}, type: example.com/x", "stringData: {a/b: c}"),
}

// configVariants are ways to write a ConfigMap or Secret, immutable and not.
func configVariants(kind string, contents ...string) (out []string) {
	for _, content := range contents {
		for _, immutable := range []string{"", ", immutable: true", ", immutable: false"} {
			out = append(out, "{apiVersion: v1, kind: "+kind+", metadata: {name: w, namespace: n, resourceVersion: '1'}, "+content+immutable+"}")
		}
	}
	return out
}

// large returns n bytes, in base64 where encoded.
func large(n int, encoded string) string {
	text := strings.Repeat("a", n)
	if encoded != "" {
		text = base64.StdEncoding.EncodeToString([]byte(text))
	}
	return text
}

// TestWhatIsTooLargeIsWhatTheServerRefuses holds the largest ConfigMaps and Secrets against Kubernetes' own validation.
func TestWhatIsTooLargeIsWhatTheServerRefuses(t *testing.T) {
	scheme := serverScheme(t)
	for field, encoded := range map[string]string{"ConfigMap data": "", "ConfigMap binaryData": "base64",
		"Secret data": "base64", "Secret stringData": ""} {
		kind, field, _ := strings.Cut(field, " ")
		of := func(n int) string {
			return fmt.Sprintf("{apiVersion: v1, kind: %s, metadata: {name: w, namespace: n, resourceVersion: '1'}, %s: {a: '%s', b: '%s'}}",
				kind, field, large(1<<19, encoded), large(n, encoded))
		}
		for n, refused := range map[int]bool{1: false, 1 << 19: false, 1<<19 + 1: true} {
			errs, got := validate(t, scheme, kind, of(1), of(n)), refusals(t, of(1), of(n))
			if (len(errs) > 0) != refused || (len(got) > 0) != refused {
				t.Errorf("%s %s with %d bytes: rollstamp: %v; the server: %d errors", kind, field, 1<<19+n, got, len(errs))
			}
		}
	}
}

// TestWhatIsRefusedIsWhatTheServerRefuses makes every change of each object, and asks Kubernetes' own validation.
func TestWhatIsRefusedIsWhatTheServerRefuses(t *testing.T) {
	scheme := serverScheme(t)
	seen := map[bool]int{}
	for kind, texts := range variants {
		for _, from := range texts {
			for _, to := range texts {
				if len(validate(t, scheme, kind, from, from)) > 0 {
					continue // it is in no cluster
				}
				errs := validate(t, scheme, kind, from, to)
				seen[len(errs) > 0]++
				if got := refusals(t, from, to); (len(got) > 0) != (len(errs) > 0) {
					t.Errorf("%s\n%s\nrollstamp: %v; the server: %v", from, to, got, errs)
				}
			}
		}
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("%d refused and %d taken: too few that mean something", seen[true], seen[false])
	}
	t.Logf("%d changes refused, %d taken", seen[true], seen[false])
}

// refusals asks rollstamp.
func refusals(t *testing.T, from, to string) (out []string) {
	t.Helper()
	for _, b := range compare(t, []byte(from), []byte(to)).Blocked {
		if b.Reason == diff.Refused {
			out = append(out, b.Path+": "+b.Why)
		}
	}
	return out
}

// validate asks Kubernetes.
func validate(t *testing.T, scheme *runtime.Scheme, kind, from, to string) field.ErrorList {
	t.Helper()
	options := core1.PodValidationOptions{}
	switch kind {
	case "Deployment":
		old, now := stored(
			t,
			scheme,
			from,
			&v1.Deployment{},
			&apps.Deployment{},
		), stored(
			t,
			scheme,
			to,
			&v1.Deployment{},
			&apps.Deployment{},
		)
		return apps1.ValidateDeploymentUpdate(now, old, options)
	case "DaemonSet":
		old, now := stored(
			t,
			scheme,
			from,
			&v1.DaemonSet{},
			&apps.DaemonSet{},
		), stored(
			t,
			scheme,
			to,
			&v1.DaemonSet{},
			&apps.DaemonSet{},
		)
		if now.Spec.TemplateGeneration = old.Spec.TemplateGeneration; !equality.Semantic.DeepEqual(
			old.Spec.Template,
			now.Spec.Template,
		) {
			now.Spec.TemplateGeneration++ // the server counts
		}
		return apps1.ValidateDaemonSetUpdate(now, old, options)
	case "ReplicaSet":
		old, now := stored(
			t,
			scheme,
			from,
			&v1.ReplicaSet{},
			&apps.ReplicaSet{},
		), stored(
			t,
			scheme,
			to,
			&v1.ReplicaSet{},
			&apps.ReplicaSet{},
		)
		return apps1.ValidateReplicaSetUpdate(now, old, options)
	case "StatefulSet":
		old, now := stored(
			t,
			scheme,
			from,
			&v1.StatefulSet{},
			&apps.StatefulSet{},
		), stored(
			t,
			scheme,
			to,
			&v1.StatefulSet{},
			&apps.StatefulSet{},
		)
		return apps1.ValidateStatefulSetUpdate(now, old, options)
	case "ConfigMap":
		old, now := stored(
			t,
			scheme,
			from,
			&api.ConfigMap{},
			&core.ConfigMap{},
		), stored(
			t,
			scheme,
			to,
			&api.ConfigMap{},
			&core.ConfigMap{},
		)
		return core1.ValidateConfigMapUpdate(now, old)
	}
	old, now := stored(
		t,
		scheme,
		from,
		&api.Secret{},
		&core.Secret{},
	), stored(
		t,
		scheme,
		to,
		&api.Secret{},
		&core.Secret{},
	)
	return core1.ValidateSecretUpdate(now, old)
}
