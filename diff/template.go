package diff

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
)

// sameDefaults reports whether changes are such that an API server fills the same fields in on both sides: then they
// are all that it would see.
func (p prefixes) sameDefaults(changes []FieldChange) bool {
	for _, f := range changes {
		_, isStamp := p.stamp(f.Path)
		image := strings.HasSuffix(f.Path, "].image") && f.Change == Modification
		if !isStamp && (!image || pullPolicy(f.From) != pullPolicy(f.To)) {
			return false
		}
	}
	return true
}

// templateChanges returns what Kubernetes would see of the changes from one pod template to another.
func (p prefixes) templateChanges(from, to map[string]any) []FieldChange {
	raw := fields("", from, to)
	if p.sameDefaults(raw) {
		return raw // most are of stamps and images
	}
	a, b := newTemplate(from), newTemplate(to)
	if a.typed == nil || b.typed == nil {
		return raw // one is none to Kubernetes, which fills nothing in
	}
	if a.same(b) {
		return nil
	}
	return fields("", a.table, b.table)
}

// template is a pod template as an API server stores it: with the fields that it fills in, and without those that mean
// nothing.
type template struct {
	typed *corev1.PodTemplateSpec // nil where the template is none to Kubernetes
	table map[string]any
}

// newTemplate reads what is at the path of a pod template.
func newTemplate(table map[string]any) template {
	text, err := json.Marshal(table)
	if err != nil {
		return template{table: table}
	}
	var typed corev1.PodTemplateSpec
	if err := json.Unmarshal(text, &typed); err != nil {
		return template{table: table}
	}
	fill(&typed)
	t := template{typed: &typed}
	if text, err = json.Marshal(typed); err == nil {
		err = json.Unmarshal(text, &t.table)
	}
	if err != nil {
		return template{table: table}
	}
	if meta, ok := t.table["metadata"].(map[string]any); ok {
		delete(meta, "creationTimestamp")
	}
	return t
}

// same reports whether Kubernetes would see no difference.
func (t template) same(o template) bool {
	if t.typed == nil || o.typed == nil {
		return len(fields("", t.table, o.table)) == 0
	}
	return equality.Semantic.DeepEqual(t.typed, o.typed)
}

// fill sets what an API server sets in the pod template of a workload where a field is absent. A test in its own
// module holds it against Kubernetes' own code (pkg/apis/core/v1, SetObjectDefaults_Deployment).
func fill(t *corev1.PodTemplateSpec) {
	s := &t.Spec
	or(&s.DNSPolicy, corev1.DNSClusterFirst)
	or(&s.RestartPolicy, corev1.RestartPolicyAlways)
	or(&s.SchedulerName, corev1.DefaultSchedulerName)
	setDefault(&s.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	setDefault(&s.SecurityContext, corev1.PodSecurityContext{})
	or(&s.ServiceAccountName, s.DeprecatedServiceAccount) // the old name of the same field
	s.DeprecatedServiceAccount = s.ServiceAccountName
	for _, list := range [][]corev1.Container{s.InitContainers, s.Containers} {
		for i := range list {
			fillContainer(&list[i])
		}
	}
	for i := range s.EphemeralContainers {
		c := corev1.Container(s.EphemeralContainers[i].EphemeralContainerCommon)
		fillContainer(&c)
		s.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(c)
	}
	for i := range s.Volumes {
		fillVolume(&s.Volumes[i].VolumeSource)
	}
	round(s.Overhead)
	if s.Resources != nil {
		round(s.Resources.Limits)
		round(s.Resources.Requests)
	}
}

// or sets a field that has no value.
func or[T comparable](field *T, value T) {
	var none T
	if *field == none {
		*field = value
	}
}

// setDefault sets a field that is absent.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func fillContainer(c *corev1.Container) {
	or(&c.ImagePullPolicy, pullPolicy(c.Image))
	or(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	or(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	for i := range c.Ports {
		or(&c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil {
			fillField(from.FieldRef)
			if from.FileKeyRef != nil {
				setDefault(&from.FileKeyRef.Optional, false)
			}
		}
	}
	round(c.Resources.Limits)
	round(c.Resources.Requests)
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if p == nil {
			continue
		}
		or(&p.TimeoutSeconds, 1)
		or(&p.PeriodSeconds, 10)
		or(&p.SuccessThreshold, 1)
		or(&p.FailureThreshold, 3)
		fillHTTP(p.HTTPGet)
		if p.GRPC != nil {
			setDefault(&p.GRPC.Service, "")
		}
	}
	if c.Lifecycle != nil {
		for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if h != nil {
				fillHTTP(h.HTTPGet)
			}
		}
	}
}

func fillHTTP(h *corev1.HTTPGetAction) {
	if h != nil {
		or(&h.Path, "/")
		or(&h.Scheme, corev1.URISchemeHTTP)
	}
}

func fillField(f *corev1.ObjectFieldSelector) {
	if f != nil {
		or(&f.APIVersion, "v1")
	}
}

// pullPolicy returns the policy of an image that has none: a tag named latest may change.
func pullPolicy(image string) corev1.PullPolicy {
	if strings.Contains(image, "@") {
		return corev1.PullIfNotPresent
	}
	last := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, tagged := strings.Cut(last, ":")
	if !tagged || tag == "latest" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// round brings amounts to the thousandths that an API server stores.
func round(list corev1.ResourceList) {
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}

func fillVolume(v *corev1.VolumeSource) {
	if *v == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	const mode = corev1.ConfigMapVolumeSourceDefaultMode
	switch {
	case v.ConfigMap != nil:
		setDefault(&v.ConfigMap.DefaultMode, mode)
	case v.Secret != nil:
		setDefault(&v.Secret.DefaultMode, mode)
	case v.DownwardAPI != nil:
		setDefault(&v.DownwardAPI.DefaultMode, mode)
		fillFiles(v.DownwardAPI.Items)
	case v.Projected != nil:
		setDefault(&v.Projected.DefaultMode, mode)
		for i := range v.Projected.Sources {
			p := &v.Projected.Sources[i]
			if p.DownwardAPI != nil {
				fillFiles(p.DownwardAPI.Items)
			}
			if p.ServiceAccountToken != nil {
				setDefault(&p.ServiceAccountToken.ExpirationSeconds, 60*60)
			}
		}
	case v.HostPath != nil:
		setDefault(&v.HostPath.Type, corev1.HostPathUnset)
	case v.Image != nil:
		or(&v.Image.PullPolicy, pullPolicy(v.Image.Reference))
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil:
		setDefault(&v.Ephemeral.VolumeClaimTemplate.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	default:
		fillStorage(v)
	}
}

func fillFiles(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		fillField(items[i].FieldRef)
	}
}

// fillStorage sets what the older kinds of storage have.
func fillStorage(v *corev1.VolumeSource) {
	switch {
	case v.ISCSI != nil:
		or(&v.ISCSI.ISCSIInterface, "default")
	case v.RBD != nil:
		or(&v.RBD.RBDPool, "rbd")
		or(&v.RBD.RadosUser, "admin")
		or(&v.RBD.Keyring, "/etc/ceph/keyring")
	case v.AzureDisk != nil:
		setDefault(&v.AzureDisk.CachingMode, corev1.AzureDataDiskCachingReadWrite)
		setDefault(&v.AzureDisk.Kind, corev1.AzureSharedBlobDisk)
		setDefault(&v.AzureDisk.FSType, "ext4")
		setDefault(&v.AzureDisk.ReadOnly, false)
	case v.ScaleIO != nil:
		or(&v.ScaleIO.StorageMode, "ThinProvisioned")
		or(&v.ScaleIO.FSType, "xfs")
	}
}
