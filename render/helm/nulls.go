package helm

import "helm.sh/helm/v3/pkg/chart"

// dropNulls leaves out what is null in the values of a chart and of its subcharts, as Helm 4 does when it merges the
// user's values into them. What is null in both is left out of the user's, too, but for what lies in a table.
func dropNulls(c *chart.Chart, user map[string]any) {
	for key, value := range c.Values {
		switch value := value.(type) {
		case nil:
			delete(c.Values, key)
			if over, ok := user[key]; ok && over == nil {
				delete(user, key)
			}
		case map[string]any:
			dropNullsIn(value)
		}
	}
	for _, sub := range c.Dependencies() {
		below, _ := user[sub.Name()].(map[string]any)
		dropNulls(sub, below)
	}
}

func dropNullsIn(table map[string]any) {
	for key, value := range table {
		switch value := value.(type) {
		case nil:
			delete(table, key)
		case map[string]any:
			dropNullsIn(value)
		}
	}
}
