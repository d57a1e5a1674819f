package policies_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
)

// strategies are the configurations by which a digest gets into a workload.
var strategies = []struct {
	name, configuration string
	wholeObjects        bool // a key that a workload does not read restarts it, too
}{
	{name: "annotation"},
	{name: "combined", configuration: "combined: true\n"},
	{name: "prefix", configuration: "annotationPrefix: ops.example.com\n"},
	{name: "env", configuration: "strategy: env\n"},
	{name: "suffix", configuration: "strategy: suffix\n", wholeObjects: true},
}

func TestAChangedKeyRollsItsConsumersOnce(t *testing.T) {
	c := cluster.Start(t)
	for _, one := range strategies {
		t.Run(one.name, func(t *testing.T) {
			s, want := open(t, c, one.configuration), first()
			s.sync(t)
			s.rolled(t, "the first sync", want)
			s.sync(t)
			s.rolled(t, "a second sync of the same", want)

			s.replace(t, "app/settings.yaml", "color: red", "color: blue")
			s.sync(t)
			s.rolled(t, "a key that two read", want, "Deployment web", "Deployment worker")

			s.replace(t, "app/settings.yaml", "size: small", "size: large")
			s.sync(t)
			if one.wholeObjects {
				s.rolled(t, "a key that one reads", want, "Deployment web", "Deployment worker")
			} else {
				s.rolled(t, "a key that one reads", want, "Deployment worker")
			}

			s.replace(t, "app/settings.yaml", "password: first", "password: second")
			s.sync(t)
			s.rolled(t, "a Secret", want, "StatefulSet desk")

			s.replace(t, "app/settings.yaml", "name: settings,", "name: settings, labels: {team: shop},")
			s.sync(t)
			s.rolled(t, "a label", want)
		})
	}
}

func TestDecisionsRollWhatTheySay(t *testing.T) {
	c := cluster.Start(t)
	t.Run("restart", func(t *testing.T) {
		s, want := open(t, c, ""), first()
		s.sync(t)
		s.run(t, "restart", "app", "Deployment/idle", "--reason", "leaks")
		s.sync(t)
		s.rolled(t, "restart", want, "Deployment idle")
		s.sync(t)
		s.rolled(t, "a second sync of the same", want)
		s.run(t, "restart", "app", "--all-consuming", "ConfigMap/settings", "--reason", "by hand")
		s.sync(t)
		s.rolled(t, "restart --all-consuming", want, "Deployment web", "Deployment worker")
	})
	t.Run("adopt", func(t *testing.T) {
		s, want := open(t, c, ""), first()
		s.sync(t, "--no-stamp")
		s.run(t, "adopt", "app")
		s.sync(t)
		s.rolled(t, "adopt", want)
		s.replace(t, "app/settings.yaml", "color: red", "color: blue")
		s.sync(t)
		s.rolled(t, "the first change", want, "Deployment web", "Deployment worker")
		s.run(t, "adopt", "--prune", "app")
		s.sync(t)
		s.rolled(t, "adopt --prune", want)
	})
	t.Run("approve", func(t *testing.T) {
		s, want := open(t, c, "reload: manual\norder: [{name: worker}]\n"), first()
		s.run(t, "approve", "--all", "app")
		s.sync(t)
		s.replace(t, "app/settings.yaml", "color: red", "color: blue")
		s.replace(t, "app/settings.yaml", "password: first", "password: second")
		s.sync(t)
		s.rolled(t, "changes that wait", want)
		s.run(t, "approve", "--next", "1", "app")
		s.sync(t)
		s.rolled(t, "approve --next 1", want, "Deployment worker")
		s.run(t, "approve", "Secret/login", "app")
		s.sync(t)
		s.rolled(t, "approve Secret/login", want, "StatefulSet desk")
		s.run(t, "approve", "--all", "app")
		s.sync(t)
		s.rolled(t, "approve --all", want, "Deployment web")
	})
}
