package defaults

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	api "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/apis/apps"
	apps1 "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	serverbatchv1 "k8s.io/kubernetes/pkg/apis/batch/v1"
	batch1 "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	core1 "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/capabilities"
)

// pods are specs of pods, the first of which is taken everywhere but for its restartPolicy.
var pods = []string{
	"containers: [{name: c, image: i}]",
	"containers: []", "containers: [{name: c}]", "containers: [{image: i}]", "containers: [{name: C_1, image: i}]",
	"containers: [{name: c, image: i}, {name: c, image: i}]",
	"initContainers: [{name: c, image: i}], containers: [{name: c, image: i}]",
	"initContainers: [{name: b, image: i}], containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /a}]}]",
	"volumes: [{name: v}], containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /a}]}]",
	"volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i, volumeMounts: [{name: v}]}]",
	"volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i, volumeMounts: " +
		"[{name: v, mountPath: /a}, {name: v, mountPath: /a, subPath: s}]}]",
	"volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}], containers: [{name: c, image: i}]",
	"volumes: [{name: v, emptyDir: {}, configMap: {name: m}}], containers: [{name: c, image: i}]",
	"volumes: [{name: V, emptyDir: {}}], containers: [{name: c, image: i}]",
	"volumes: [{emptyDir: {}}], containers: [{name: c, image: i}]",
	"volumes: [{name: v, configMap: {name: m}}], containers: [{name: c, image: i}]",
	"volumes: [{name: v, configMap: {}}], containers: [{name: c, image: i}]",
	"volumes: [{name: v, secret: {}}], containers: [{name: c, image: i}]",
	"volumes: [{name: v, persistentVolumeClaim: {}}], containers: [{name: c, image: i}]",
	"dnsPolicy: Foo, containers: [{name: c, image: i}]",
	"dnsPolicy: Default, containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, imagePullPolicy: Alway}]",
	"containers: [{name: c, image: i, imagePullPolicy: Never}]",
	"securityContext: {runAsUser: -5}, containers: [{name: c, image: i}]",
	"securityContext: {runAsUser: 0, fsGroup: -1}, containers: [{name: c, image: i}]",
	"securityContext: {runAsGroup: 3000000000}, containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, securityContext: {runAsUser: -5}}]",
	"containers: [{name: c, image: i, securityContext: {runAsUser: 2147483647}}]",
	"tolerations: [{key: k, operator: Exists, value: x}], containers: [{name: c, image: i}]",
	"tolerations: [{operator: Exists}], containers: [{name: c, image: i}]",
	"tolerations: [{value: x}], containers: [{name: c, image: i}]",
	"tolerations: [{key: k, value: x}], containers: [{name: c, image: i}]",
	"topologySpreadConstraints: [{maxSkew: 0, topologyKey: k, " +
		"whenUnsatisfiable: DoNotSchedule}], containers: [{name: c, image: i}]",
	"topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}], containers: [{name: c, image: i}]",
	"topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, " +
		"whenUnsatisfiable: DoNotSchedule}], containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, volumeDevices: [{name: d, devicePath: /d}]}]",
	"volumes: [{name: d, persistentVolumeClaim: {claimName: p}}], " +
		"containers: [{name: c, image: i, volumeDevices: [{name: d, devicePath: /d}]}]",
	"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchExpressions: [{key: k, operator: In}]}]}}}, containers: [{name: c, image: i}]",
	"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchExpressions: [{key: k, operator: Exists}]}]}}}, containers: [{name: c, image: i}]",
	"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchExpressions: [{key: k, operator: 'In', values: [a]}]}]}}}, containers: [{name: c, image: i}]",
	"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchExpressions: [{key: k, operator: Exists, values: [a]}]}]}}}, containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 70000}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 0}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: '80'}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80, protocol: tcp}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 70000}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80}, {containerPort: 80}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}, " +
		"{containerPort: 80, hostPort: 80, protocol: UDP}]}]",
	"containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}, " +
		"{name: d, image: i, ports: [{containerPort: 80, hostPort: 80}]}]",
	"initContainers: [{name: b, image: i, ports: [{containerPort: 80, hostPort: 80}]}], " +
		"containers: [{name: d, image: i, ports: [{containerPort: 80, hostPort: 80}]}]",
	"containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}]}]",
	"containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}]}, " +
		"{name: d, image: i, ports: [{name: http, containerPort: 81}]}]",
	"containers: [{name: c, image: i, ports: [{name: much-too-long-a-name, containerPort: 80}]}]",
	"containers: [{name: c, image: i, env: [{name: A, value: b}, {name: A, value: c}]}]",
	"containers: [{name: c, image: i, env: [{value: b}]}]", "containers: [{name: c, image: i, env: [{name: 'A=B'}]}]",
	"containers: [{name: c, image: i, env: [{name: 'a.b-c 1'}]}]",
	"containers: [{name: c, image: i, env: [{name: A, value: 1}]}]",
	"containers: [{name: c, image: i, env: [{name: A, value: true}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {configMapKeyRef: {name: m, key: k}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, value: b, valueFrom: {configMapKeyRef: {name: m, key: k}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, value: '', valueFrom: {configMapKeyRef: {name: m, key: k}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {configMapKeyRef: {name: m}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {key: k}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: a/b}}}]}]",
	"containers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}, " +
		"configMapKeyRef: {name: m, key: k}}}]}]",
	"containers: [{name: c, image: i, envFrom: [{configMapRef: {name: m}}]}]",
	"containers: [{name: c, image: i, envFrom: [{}]}]",
	"containers: [{name: c, image: i, envFrom: [{configMapRef: {name: m}, secretRef: {name: s}}]}]",
	"containers: [{name: c, image: i, resources: {requests: {cpu: 100m}, limits: {cpu: '1'}}}]",
	"containers: [{name: c, image: i, resources: {requests: {cpu: '2'}, limits: {cpu: 1500m}}}]",
	"containers: [{name: c, image: i, resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}]",
	"containers: [{name: c, image: i, resources: {requests: {memory: 2Gb}}}]",
	"containers: [{name: c, image: i, livenessProbe: {}}]",
	"containers: [{name: c, image: i, livenessProbe: {httpGet: {port: 80}}}]",
	"containers: [{name: c, image: i, livenessProbe: {httpGet: {port: 80}, tcpSocket: {port: 80}}}]",
	"containers: [{name: c, image: i, livenessProbe: {httpGet: {port: 80}, successThreshold: 2}}]",
	"containers: [{name: c, image: i, readinessProbe: {httpGet: {port: 80}, successThreshold: 2}}]",
	"containers: [{name: c, image: i, readinessProbe: {exec: {command: [a]}, periodSeconds: -1}}]",
	"containers: [{name: c, image: i, lifecycle: {preStop: {exec: {command: [a]}, httpGet: {port: 80}}}}]",
	"containers: [{name: c, image: i, lifecycle: {preStop: {exec: {command: [a]}}}}]",
	"initContainers: [{name: b, image: i, livenessProbe: {httpGet: {port: 80}}}], containers: [{name: c, image: i}]",
	"initContainers: [{name: b, image: i, restartPolicy: Always, startupProbe: {httpGet: {port: 80}}}], " +
		"containers: [{name: c, image: i}]",
	"containers: [{name: c, image: i, securityContext: {privileged: true, allowPrivilegeEscalation: false}}]",
	"containers: [{name: c, image: i, securityContext: {privileged: true}}]",
}

// podsOf returns an object of a kind for each spec of its pods.
func podsOf(kind string) (out []string) {
	for _, pod := range pods {
		var spec string
		switch kind {
		case "Job":
			spec = fmt.Sprintf("template: {spec: {restartPolicy: Never, %s}}", pod)
		case "CronJob":
			spec = fmt.Sprintf("schedule: 0 3 * * *, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, %s}}}}", pod)
		default:
			spec = fmt.Sprintf("selector: %s, template: {metadata: {labels: %s}, spec: {%s}}", app, label, pod)
		}
		out = append(out, objectOf(kind, spec))
	}
	return out
}

// objectOf is one of a kind with a spec.
func objectOf(kind, spec string) string {
	version := map[string]string{"Service": "v1", "Job": "batch/v1", "CronJob": "batch/v1"}[kind]
	if version == "" {
		version = "apps/v1"
	}
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: w, namespace: space, resourceVersion: '1'}, spec: {%s}}",
		version, kind, spec)
}

// specs are further specs of kinds, the first of which is taken.
func specs() map[string][]string {
	const tail = "selector: " + app + ", template: {metadata: {labels: " + label + "}, spec: {containers: [{name: c, image: i}]}}"
	const pod = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}"
	const always = "template: {spec: {containers: [{name: c, image: i}]}}"
	return map[string][]string{
		"Deployment": {
			tail, "replicas: -1, " + tail, "strategy: {type: Recreate}, " + tail, "strategy: {type: Other}, " + tail,
			"strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}, " + tail,
			"strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, " + tail,
			"strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}, " + tail,
			"strategy: {rollingUpdate: {maxSurge: '0%', maxUnavailable: 0}}, " + tail,
			"strategy: {rollingUpdate: {maxUnavailable: 0}}, " + tail,
			strings.Replace(tail, "selector: "+app+", ", "", 1),
			strings.Replace(tail, "metadata: {labels: ", "metadata: {annotations: {a: true}, labels: ", 1),
			strings.Replace(tail, "metadata: {labels: ", "metadata: {annotations: {a: b}, labels: ", 1),
			strings.Replace(tail, "spec: {", "spec: {restartPolicy: Never, ", 1),
		},
		"StatefulSet": {
			fmt.Sprintf(claim, "", "1Gi") + tail,
			fmt.Sprintf(claim, "", "1Gi") +
				strings.Replace(tail, "image: i", "image: i, volumeMounts: [{name: v, mountPath: /a}]", 1),
			fmt.Sprintf(claim, "", "1Gi") +
				strings.Replace(tail, "image: i", "image: i, volumeMounts: [{name: w, mountPath: /a}]", 1),
		},
		"Job": {
			pod, always, "completions: 2, " + pod, "completions: 1, " + pod, "parallelism: 2, " + pod, "parallelism: -1, " + pod,
			"completionMode: Indexed, " + pod, "completionMode: Indexed, parallelism: 2, " + pod,
			"completionMode: Indexed, completions: 2, " + pod,
			"completionMode: Indexed, completions: 3, parallelism: 3, " + pod, "completionMode: Indexed, completions: 4, " + pod,
			"completionMode: NonIndexed, " + pod, "completionMode: Other, " + pod, "backoffLimit: 2, " + pod,
			"backoffLimit: -2, " + pod, "backoffLimitPerIndex: 2, " + pod,
			"completionMode: Indexed, completions: 2, backoffLimitPerIndex: 2, " + pod,
			"activeDeadlineSeconds: 5, " + pod, "suspend: true, " + pod,
			"podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}, " + pod,
		},
		"CronJob": {
			"schedule: 0 3 * * *, jobTemplate: {spec: {" + pod + "}}", "schedule: 0 3 * *, jobTemplate: {spec: {" + pod + "}}",
			"jobTemplate: {spec: {" + pod + "}}", "schedule: '@daily', jobTemplate: {spec: {" + pod + "}}",
			"schedule: 0 3 * * *, jobTemplate: {spec: {" + always + "}}",
			"schedule: 0 3 * * *, jobTemplate: {spec: {completions: 3, " + pod + "}}",
			"schedule: '61 * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '0 25 * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: 'x * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '*/0 * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '* * * 13 *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '@foo', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '@every 1h', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '@every x', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '5-2 * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '* * * * 7', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '*/5 1,2 1-3/2 jan MON-FRI', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '? * ? * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '1-2-3 * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '5/15 0-23/2 31 12 0', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '@Daily', jobTemplate: {spec: {" + pod + "}}",
			"schedule: '-1 * * * *', jobTemplate: {spec: {" + pod + "}}",
			"schedule: 0 3 * * *, concurrencyPolicy: Never, jobTemplate: {spec: {" + pod + "}}",
		},
		"Service": {
			"ports: [{port: 80}]", "ports: []", "clusterIP: None, ports: []", "ports: [{port: 0}]", "ports: [{port: 70000}]",
			"ports: [{port: 80}, {port: 81}]", "ports: [{name: a, port: 80}, {name: b, port: 81}]",
			"ports: [{name: a, port: 80}, {name: a, port: 81}]", "ports: [{name: a, port: 80}, {name: b, port: 80}]",
			"ports: [{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]", "ports: [{name: A, port: 80}]",
			"ports: [{port: 80, protocol: http}]", "ports: [{port: '80'}]", "type: ExternalName, externalName: a.example.com",
		},
	}
}

// TestWhatIsInvalidIsWhatTheServerRefuses makes each object, and each change of a valid one to it, and asks Kubernetes'
// own validation.
func TestWhatIsInvalidIsWhatTheServerRefuses(t *testing.T) {
	scheme := serverScheme(t)
	capabilities.Setup(true, 0)
	for _, add := range []func(*runtime.Scheme) error{serverbatchv1.AddToScheme, batch.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	more, seen := specs(), map[bool]int{}
	for _, kind := range []string{"Deployment", "DaemonSet", "ReplicaSet", "StatefulSet", "Job", "CronJob", "Service"} {
		var all []string
		for _, spec := range more[kind] {
			all = append(all, objectOf(kind, spec))
		}
		if kind != "Service" {
			all = append(all, podsOf(kind)...)
		}
		for _, to := range all {
			for _, from := range []string{"", all[0], all[1]} {
				if from != "" && len(invalid(t, scheme, kind, "", from)) > 0 {
					continue // it is in no cluster
				}
				errs := invalid(t, scheme, kind, from, to)
				seen[len(errs) > 0]++
				if got := blockedOf(t, from, to); (len(got) > 0) != (len(errs) > 0) {
					t.Errorf("%s\n%s\nrollstamp: %v; the server: %v", from, to, got, errs)
				}
			}
		}
	}
	if seen[true] < 500 || seen[false] < 200 {
		t.Errorf("%d refused and %d taken: too few that mean something", seen[true], seen[false])
	}
	t.Logf("%d refused, %d taken", seen[true], seen[false])
}

// blockedOf asks rollstamp: what it refuses, a change of a Job's template included.
func blockedOf(t *testing.T, from, to string) (out []string) {
	t.Helper()
	for _, b := range compare(t, []byte(from), []byte(to)).Blocked {
		out = append(out, fmt.Sprint(b.Reason, " ", b.Path, ": ", b.Why))
	}
	return out
}

// invalid asks Kubernetes.
func invalid(t *testing.T, scheme *runtime.Scheme, kind, from, to string) field.ErrorList {
	t.Helper()
	options := core1.PodValidationOptions{AllowRelaxedEnvironmentVariableValidation: true}
	switch kind {
	case "Deployment":
		return asServer(t, scheme, from, to, &v1.Deployment{}, &v1.Deployment{}, &apps.Deployment{}, &apps.Deployment{},
			func(o *apps.Deployment) field.ErrorList { return apps1.ValidateDeployment(o, options) },
			func(o, was *apps.Deployment) field.ErrorList { return apps1.ValidateDeploymentUpdate(o, was, options) })
	case "DaemonSet":
		return asServer(t, scheme, from, to, &v1.DaemonSet{}, &v1.DaemonSet{}, &apps.DaemonSet{}, &apps.DaemonSet{},
			func(o *apps.DaemonSet) field.ErrorList { return apps1.ValidateDaemonSet(o, options) },
			func(o, was *apps.DaemonSet) field.ErrorList {
				if !equality.Semantic.DeepEqual(o.Spec.Template, was.Spec.Template) {
					o.Spec.TemplateGeneration = was.Spec.TemplateGeneration + 1 // the server counts
				}
				return apps1.ValidateDaemonSetUpdate(o, was, options)
			})
	case "ReplicaSet":
		return asServer(t, scheme, from, to, &v1.ReplicaSet{}, &v1.ReplicaSet{}, &apps.ReplicaSet{}, &apps.ReplicaSet{},
			func(o *apps.ReplicaSet) field.ErrorList { return apps1.ValidateReplicaSet(o, options) },
			func(o, was *apps.ReplicaSet) field.ErrorList { return apps1.ValidateReplicaSetUpdate(o, was, options) })
	case "StatefulSet":
		return asServer(t, scheme, from, to, &v1.StatefulSet{}, &v1.StatefulSet{}, &apps.StatefulSet{}, &apps.StatefulSet{},
			func(o *apps.StatefulSet) field.ErrorList { return apps1.ValidateStatefulSet(o, options) },
			func(o, was *apps.StatefulSet) field.ErrorList {
				return apps1.ValidateStatefulSetUpdate(o, was, options)
			})
	case "CronJob":
		return asServer(t, scheme, from, to, &batchv1.CronJob{}, &batchv1.CronJob{}, &batch.CronJob{}, &batch.CronJob{},
			func(o *batch.CronJob) field.ErrorList { return batch1.ValidateCronJobCreate(o, options) },
			func(o, was *batch.CronJob) field.ErrorList { return batch1.ValidateCronJobUpdate(o, was, options) })
	case "Job":
		return asServer(t, scheme, from, to, &batchv1.Job{}, &batchv1.Job{}, &batch.Job{}, &batch.Job{},
			func(o *batch.Job) field.ErrorList { return batch1.ValidateJobSpec(&selecting(o).Spec, nil, options) },
			func(o, was *batch.Job) field.ErrorList {
				return batch1.ValidateJobSpecUpdate(selecting(o).Spec, selecting(was).Spec, nil,
					batch1.JobValidationOptions{PodValidationOptions: options})
			})
	}
	return asServer(t, scheme, from, to, &api.Service{}, &api.Service{}, &core.Service{}, &core.Service{},
		func(o *core.Service) field.ErrorList { return core1.ValidateServiceCreate(addressed(o)) },
		func(o, was *core.Service) field.ErrorList {
			return core1.ValidateServiceUpdate(addressed(o), addressed(was))
		})
}

// selecting returns a Job with the selector that the server generates.
func selecting(j *batch.Job) *batch.Job {
	set := map[string]string{batchv1.ControllerUidLabel: "1"}
	j.Spec.Selector, j.Spec.Template.Labels = &metav1.LabelSelector{MatchLabels: set}, set
	return j
}

// addressed returns a Service with the address that the server chooses where it names none.
func addressed(s *core.Service) *core.Service {
	s.ResourceVersion = "1"
	if s.Spec.ClusterIP == "" && s.Spec.Type != core.ServiceTypeExternalName {
		s.Spec.ClusterIP = "10.0.0.1"
	}
	if s.Spec.ClusterIP != "" {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	return s
}

// asServer asks for a new object or a change of one. What the server cannot read, it refuses.
func asServer[E, I runtime.Object](
	t *testing.T, scheme *runtime.Scheme, from, to string, old, now E, was, is I,
	created func(I) field.ErrorList, updated func(is, was I) field.ErrorList,
) field.ErrorList {
	t.Helper()
	var table map[string]any // as it is sent: without regard to what the fields take
	if err := yaml.Unmarshal([]byte(to), &table); err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(sent, now.DeepCopyObject()); err != nil {
		return field.ErrorList{field.Invalid(nil, nil, err.Error())}
	}
	is = stored(t, scheme, to, now, is)
	if from == "" {
		return created(is)
	}
	return updated(is, stored(t, scheme, from, old, was))
}
