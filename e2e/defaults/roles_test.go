package defaults

import (
	"fmt"
	"testing"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	roles "k8s.io/kubernetes/pkg/apis/rbac"
	rbacv1 "k8s.io/kubernetes/pkg/apis/rbac/v1"
	"k8s.io/kubernetes/pkg/apis/rbac/validation"
)

func TestBindingsAreRefusedAsKubernetesDoes(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{rbacv1.AddToScheme, roles.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	refs := []string{"{kind: Role, name: a}", "{kind: Role, name: b}", "{kind: ClusterRole, name: a}",
		"{apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}", "{apiGroup: '', kind: Role, name: a}"}
	refused := 0
	for _, from := range refs {
		for _, to := range refs {
			for _, kind := range []string{"RoleBinding", "ClusterRoleBinding"} {
				binding := func(ref string) string {
					space := map[bool]string{true: ", namespace: n"}[kind == "RoleBinding"]
					return fmt.Sprintf("{apiVersion: rbac.authorization.k8s.io/v1, kind: %s, metadata: {name: b%s, resourceVersion: '1'}, "+
						"roleRef: %s, subjects: []}", kind, space, ref)
				}
				is := len(refusals(t, binding(from), binding(to))) > 0
				want := bindingErrors(t, scheme, kind, binding(from), binding(to)) > 0
				if is != want {
					t.Errorf("%s: %s to %s: refused %v, by Kubernetes %v", kind, from, to, is, want)
				}
				if want {
					refused++
				}
			}
		}
	}
	if refused == 0 {
		t.Error("Kubernetes refuses none")
	}
}

// bindingErrors returns how many errors Kubernetes has about the reference of a binding: kinds that cannot be bound
// there are refused on both sides.
func bindingErrors(t *testing.T, scheme *runtime.Scheme, kind, from, to string) (n int) {
	t.Helper()
	if kind == "RoleBinding" {
		old := stored(t, scheme, from, &rbac.RoleBinding{}, &roles.RoleBinding{})
		now := stored(t, scheme, to, &rbac.RoleBinding{}, &roles.RoleBinding{})
		return len(validation.ValidateRoleBindingUpdate(now, old)) - len(validation.ValidateRoleBinding(now))
	}
	old := stored(t, scheme, from, &rbac.ClusterRoleBinding{}, &roles.ClusterRoleBinding{})
	now := stored(t, scheme, to, &rbac.ClusterRoleBinding{}, &roles.ClusterRoleBinding{})
	return len(validation.ValidateClusterRoleBindingUpdate(now, old)) - len(validation.ValidateClusterRoleBinding(now))
}
