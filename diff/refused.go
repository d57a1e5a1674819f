package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/refs"
)

// refusalsOf returns what the API server refuses of the change of an object, whose kind has these rows. A test in its
// own module holds it against Kubernetes' own validation.
func (a applier) refusalsOf(c *compared, rows []*refs.Kind) []refusal {
	if c.old.Name.Name != c.now.Name.Name {
		return nil // it is another object
	}
	if a.leaves(c.to.table) != "" {
		return nil // it is not sent
	}
	var out []refusal
	if a = a.over(c.from.table); a.replaces(c.to.table) == "" {
		out = a.fixedRefusals(c, rows)
	}
	out = append(out, changedMetadata(c)...)
	if !c.changesSpec() {
		return out
	}
	now := invalidities(c.now, rows, c.to.table)
	if len(rows) > 0 && rows[0].Rollout == refs.ByPartition && len(invalidities(c.old, rows, c.from.table)) > 0 {
		now = nil // it is taken as it was
	}
	if schedule, _ := at(c.from.table, "spec")["schedule"].(string); strings.Contains(schedule, "TZ") {
		now = slices.DeleteFunc(now, func(r refusal) bool { return r == zoneInSchedule })
	}
	return append(out, now...)
}

// changesSpec reports whether more of an object changes than its metadata and the text of annotations and images.
func (c *compared) changesSpec() bool {
	return slices.ContainsFunc(c.fields, func(f FieldChange) bool {
		isImage := strings.HasSuffix(f.Path, "].image") && f.To != ""
		isNote := strings.Contains(f.Path, "template.metadata.annotations") && !holdsSwitch(f.To)
		return isContent(f.Path) && !isImage && !isNote
	})
}

// holdsSwitch reports whether a value that is shown may be a switch or a number, or have one where a text is due.
func holdsSwitch(shown string) bool {
	return shown == "true" || shown == "false" || shown != "" && !strings.ContainsFunc(shown, unicode.IsLetter) ||
		strings.Contains(shown, ":true") || strings.Contains(shown, ":false")
}

// fixedRefusals returns what the API server refuses of a change because it cannot be changed.
func (a applier) fixedRefusals(c *compared, rows []*refs.Kind) []refusal {
	if _, hook := a.hookOf(c.to.table); hook {
		return nil
	}
	switch {
	case c.now.isConfig():
		return configRefusals(c)
	case c.now.Group == "batch" && len(rows) > 0 && rows[0].Rollout == refs.ByReplacement:
		if a.job(c.to.table).Effect != Rejected {
			return nil // it is another one when it runs again
		}
		return jobRefusals(c.from.table, c.to.table)
	case len(rows) == 0:
		return objectRefusals(c.now.Group, c.now.Kind, c.from.table, c.to.table)
	case rows[0].FixedFields(c.now.Group) == refs.NothingFixed:
		return nil
	}
	out := selectorRefusals(c.from.table, c.to.table)
	if rows[0].FixedFields(c.now.Group) == refs.FixedSpec {
		out = append(out, statefulSetRefusals(c.from.table, c.to.table)...)
	}
	return out
}

// newRefusals returns what the API server refuses of a new object, whose kind has these rows.
func newRefusals(o *object, rows []*refs.Kind) ([]refusal, error) {
	if o.Name.Name == "" {
		return []refusal{{namePath, "there is none"}}, nil
	}
	if refused := namespaceRefusals(o); len(refused) > 0 {
		return refused, nil
	}
	isFixed := len(rows) > 0 && rows[0].FixedFields(o.Group) != refs.NothingFixed
	if !isFixed && !o.isConfig() && !isValidated(o, rows) {
		return nil, nil
	}
	table, err := o.table()
	if err != nil {
		return nil, err
	}
	if o.applier.omits(table) != "" {
		return nil, nil
	}
	if refused := nameRefusals(at(table, "metadata")); len(refused) > 0 {
		return refused, nil
	}
	out := metadataRefusals("metadata", at(table, "metadata"))
	if o.isConfig() {
		return slices.Concat(out, keyRefusals(table), sizeRefusals(nil, o)), nil
	}
	selector, ok := decodeAs[metav1.LabelSelector](at(table, "spec", "selector"))
	if ok && isFixed && at(table, "spec", "template") != nil && !matches(selector, table) {
		return append(out, unmatched), nil
	}
	return append(out, invalidities(o, rows, table)...), nil
}

// unmatched is the refusal of a selector that does not select the pods.
var unmatched = refusal{"spec.template.metadata.labels", "the selector does not match them"}

// selectorRefusals reports a selector that changes, and a new one that the template's labels do not match.
func selectorRefusals(from, to map[string]any) []refusal {
	old, okOld := decodeAs[metav1.LabelSelector](at(from, "spec", "selector"))
	now, okNow := decodeAs[metav1.LabelSelector](at(to, "spec", "selector"))
	switch {
	case !okOld || !okNow:
		return nil
	case !equality.Semantic.DeepEqual(old, now):
		return []refusal{{"spec.selector", "it is immutable"}}
	case !matches(now, to) && matches(old, from):
		return []refusal{unmatched}
	}
	return nil
}

// matches reports whether a selector matches the labels of the pod template.
func matches(s metav1.LabelSelector, table map[string]any) bool {
	selector, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		return false
	}
	set := labels.Set{}
	for key, v := range at(table, "spec", "template", "metadata", "labels") {
		set[key], _ = v.(string)
	}
	return selector.Matches(set)
}

// statefulSetRefusals reports what of a StatefulSet cannot be changed: all but the fields that are cleared here.
func statefulSetRefusals(from, to map[string]any) []refusal {
	old, okOld := decodeAs[appsv1.StatefulSetSpec](at(from, "spec"))
	now, okNow := decodeAs[appsv1.StatefulSetSpec](at(to, "spec"))
	if !okOld || !okNow {
		return nil
	}
	for _, s := range []*appsv1.StatefulSetSpec{&old, &now} {
		or(&s.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
		for i := range s.VolumeClaimTemplates {
			fillClaim(&s.VolumeClaimTemplates[i])
		}
	}
	var out []refusal
	if old.ServiceName != now.ServiceName {
		out = append(out, refusal{"spec.serviceName", "it is immutable"})
	}
	if old.PodManagementPolicy != now.PodManagementPolicy {
		out = append(out, refusal{"spec.podManagementPolicy", "it is immutable"})
	}
	if !equality.Semantic.DeepEqual(old.VolumeClaimTemplates, now.VolumeClaimTemplates) {
		out = append(out, refusal{"spec.volumeClaimTemplates", "they are immutable"})
	}
	return out
}

// fillClaim sets what an API server sets in a claim.
func fillClaim(c *corev1.PersistentVolumeClaim) {
	c.TypeMeta = metav1.TypeMeta{}
	c.CreationTimestamp = metav1.Time{}
	c.Status = corev1.PersistentVolumeClaimStatus{}
	setDefault(&c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	round(c.Spec.Resources.Requests)
	round(c.Spec.Resources.Limits)
}

// configRefusals reports an immutable ConfigMap or Secret that is edited, and another type of a Secret.
func configRefusals(c *compared) []refusal {
	var out []refusal
	if c.from.table["immutable"] == true {
		if c.to.table["immutable"] != true {
			out = append(out, refusal{"immutable", "it cannot be unset"})
		}
		if len(c.keys) > 0 || !sameKeys(at(c.from.table, "binaryData"), at(c.to.table, "binaryData")) {
			out = append(out, refusal{"data", "the object is immutable"})
		}
	}
	if c.now.Kind == "Secret" && typeOf(c.from.table) != typeOf(c.to.table) {
		out = append(out, refusal{"type", "it is immutable"})
	}
	if now := keyRefusals(c.to.table); len(keyRefusals(c.from.table)) == 0 {
		out = append(out, now...)
	}
	return append(out, sizeRefusals(c.old, c.now)...)
}

// sameKeys reports whether two mappings have the same keys.
func sameKeys(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key := range a {
		if _, ok := b[key]; !ok {
			return false
		}
	}
	return true
}

// keyRefusals reports keys that no ConfigMap and no Secret may have.
func keyRefusals(table map[string]any) (out []refusal) {
	for _, field := range []string{"data", "binaryData", "stringData"} {
		for _, key := range slices.Sorted(maps.Keys(at(table, field))) {
			if len(validation.IsConfigMapKey(key)) > 0 {
				out = append(out, refusal{field, "no key is called " + diag.Quote(key)})
			}
		}
	}
	return out
}

// roles is the group of the objects that grant rights.
const roles = "rbac.authorization.k8s.io"

// bindingRefusals reports a binding to another role.
func bindingRefusals(from, to map[string]any) []refusal {
	old, now := at(from, "roleRef"), at(to, "roleRef")
	if old == nil || now == nil {
		return nil
	}
	if groupOf(old) == groupOf(now) && old["kind"] == now["kind"] && old["name"] == now["name"] {
		return nil
	}
	return []refusal{{"roleRef", "it is immutable"}}
}

// groupOf returns the group of a role, as the API server fills it in.
func groupOf(ref map[string]any) any {
	if group := ref["apiGroup"]; group != nil && group != "" {
		return group
	}
	return roles
}

func typeOf(secret map[string]any) string {
	if text, _ := secret["type"].(string); text != "" {
		return text
	}
	return string(corev1.SecretTypeOpaque)
}

// decodeAs reads a mapping as a type of Kubernetes; not ok where it is absent or none.
func decodeAs[T any](table map[string]any) (out T, ok bool) {
	if table == nil {
		return out, false
	}
	text, err := json.Marshal(table)
	if err != nil {
		return out, false
	}
	return out, json.Unmarshal(text, &out) == nil
}
