package defaults

import (
	"fmt"
	"testing"

	api "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1"
	storageapi "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagev1 "k8s.io/kubernetes/pkg/apis/storage/v1"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// object is one of a kind, with what follows its metadata.
func object(version, kind, space, rest string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: x%s, resourceVersion: '1'}, %s}", version, kind, space,
		rest)
}

// judge holds what is refused of each change among the variants of a kind against what Kubernetes refuses.
func judge(t *testing.T, variants []string, kubernetes func(from, to string) int) {
	t.Helper()
	refused := 0
	for _, from := range variants {
		for _, to := range variants {
			is, want := len(refusals(t, from, to)) > 0, kubernetes(from, to) > 0
			if is != want {
				t.Errorf("%s\nto %s:\nrefused %v, by Kubernetes %v", from, to, is, want)
			}
			if want {
				refused++
			}
		}
	}
	if refused == 0 || refused == len(variants)*len(variants) {
		t.Errorf("Kubernetes refuses %d", refused)
	}
}

func schemeOf(t *testing.T, add ...func(*runtime.Scheme) error) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range add {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func TestClaimsAreRefusedAsKubernetesDoes(t *testing.T) {
	scheme := schemeOf(t, corev1.AddToScheme, core.AddToScheme)
	var variants []string
	for _, size := range []string{"1Gi", "1024Mi", "2Gi"} {
		for _, more := range []string{"", ", volumeMode: Filesystem", ", volumeMode: Block",
			", volumeName: a", ", selector: {matchLabels: {a: b}}", ", volumeAttributesClassName: gold"} {
			for _, mode := range []string{"ReadWriteOnce", "ReadWriteMany"} {
				variants = append(variants, object("v1", "PersistentVolumeClaim", ", namespace: n", fmt.Sprintf(
					"spec: {storageClassName: fast, accessModes: [%s], resources: {requests: {storage: %s}}%s}", mode, size, more)))
			}
		}
	}
	variants = append(variants, object("v1", "PersistentVolumeClaim", ", namespace: n",
		"spec: {storageClassName: slow, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"))
	judge(t, variants, func(from, to string) int {
		old := stored(t, scheme, from, &api.PersistentVolumeClaim{}, &core.PersistentVolumeClaim{})
		now := stored(t, scheme, to, &api.PersistentVolumeClaim{}, &core.PersistentVolumeClaim{})
		for _, c := range []*core.PersistentVolumeClaim{old, now} { // both have the status of what is there
			c.Status = core.PersistentVolumeClaimStatus{Phase: core.ClaimBound, Capacity: old.Spec.Resources.Requests.DeepCopy()}
		}
		opts := corevalidation.ValidationOptionsForPersistentVolumeClaim(now, old)
		return len(corevalidation.ValidatePersistentVolumeClaimUpdate(now, old, opts))
	})
}

func TestStorageClassesAreRefusedAsKubernetesDoes(t *testing.T) {
	scheme := schemeOf(t, storagev1.AddToScheme, storage.AddToScheme)
	var variants []string
	for _, rest := range []string{"", ", parameters: {a: b}", ", parameters: {a: c}", ", parameters: {}",
		", reclaimPolicy: Delete", ", reclaimPolicy: Retain", ", volumeBindingMode: Immediate", ", volumeBindingMode: WaitForFirstConsumer",
		", allowVolumeExpansion: true", ", mountOptions: [ro]"} {
		for _, provisioner := range []string{"a.example.com", "b.example.com"} {
			variants = append(variants, object("storage.k8s.io/v1", "StorageClass", "", "provisioner: "+provisioner+rest))
		}
	}
	judge(t, variants, func(from, to string) int {
		old := stored(t, scheme, from, &storageapi.StorageClass{}, &storage.StorageClass{})
		now := stored(t, scheme, to, &storageapi.StorageClass{}, &storage.StorageClass{})
		return len(storagevalidation.ValidateStorageClassUpdate(now, old))
	})
}

func TestPriorityClassesAreRefusedAsKubernetesDoes(t *testing.T) {
	scheme := schemeOf(t, schedulingv1.AddToScheme, scheduling.AddToScheme)
	var variants []string
	for _, rest := range []string{"value: 1", "value: 2", "value: 1, preemptionPolicy: PreemptLowerPriority",
		"value: 1, preemptionPolicy: Never", "value: 1, description: a", "value: 1, globalDefault: true"} {
		variants = append(variants, object("scheduling.k8s.io/v1", "PriorityClass", "", rest))
	}
	judge(t, variants, func(from, to string) int {
		old := stored(t, scheme, from, &schedulingapi.PriorityClass{}, &scheduling.PriorityClass{})
		now := stored(t, scheme, to, &schedulingapi.PriorityClass{}, &scheduling.PriorityClass{})
		return len(schedulingvalidation.ValidatePriorityClassUpdate(now, old))
	})
}

func TestServicesAreRefusedAsKubernetesDoes(t *testing.T) {
	scheme := schemeOf(t, corev1.AddToScheme, core.AddToScheme)
	var variants []string
	for _, rest := range []string{"", "type: ClusterIP, ", "clusterIP: None, ", "clusterIP: 10.0.0.1, ",
		"clusterIP: 10.0.0.2, ",
		"type: NodePort, ", "type: ExternalName, externalName: a.example.com, "} {
		variants = append(variants, object("v1", "Service", ", namespace: n", "spec: {"+rest+"ports: [{port: 80}]}"))
	}
	judge(t, variants, func(from, to string) int {
		old := stored(t, scheme, from, &api.Service{}, &core.Service{})
		now := stored(t, scheme, to, &api.Service{}, &core.Service{})
		chosen := now.Spec.ClusterIP // at best the cluster chose what is named now
		if chosen == "" || chosen == core.ClusterIPNone {
			chosen = "10.0.0.9"
		}
		allocate(old, chosen)
		if old.Spec.Type != core.ServiceTypeExternalName {
			allocate(now, old.Spec.ClusterIP) // one that names none keeps what it has
		} else {
			allocate(now, "10.0.0.9")
		}
		return len(corevalidation.ValidateServiceUpdate(now, old))
	})
}

// allocate gives a Service without an address one, as the API server does, and what goes with it.
func allocate(s *core.Service, address string) {
	if s.Spec.Type == core.ServiceTypeExternalName {
		return
	}
	if s.Spec.ClusterIP == "" {
		s.Spec.ClusterIP = address
	}
	single := core.IPFamilyPolicySingleStack
	s.Spec.ClusterIPs, s.Spec.IPFamilies, s.Spec.IPFamilyPolicy =
		[]string{s.Spec.ClusterIP}, []core.IPFamily{core.IPv4Protocol}, &single
}
