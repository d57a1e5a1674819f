package cluster

import "testing"

// Rollouts returns how many different pod templates each workload of a namespace has had, by its kind and name.
func (c *Cluster) Rollouts(t testing.TB, namespace string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, kind := range []string{"replicasets", "controllerrevisions"} {
		var list struct {
			Items []struct {
				Metadata struct{ OwnerReferences []struct{ Kind, Name string } }
			}
		}
		c.Get(t, "/apis/apps/v1/namespaces/"+namespace+"/"+kind, &list)
		for _, item := range list.Items {
			for _, owner := range item.Metadata.OwnerReferences {
				out[owner.Kind+" "+owner.Name]++
			}
		}
	}
	return out
}
