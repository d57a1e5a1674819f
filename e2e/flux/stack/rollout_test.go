package stack

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// change is a change in Git, and which workloads it restarts.
type change struct {
	name     string
	make     func(*testing.T, *stack)
	restarts []string
	charts   []string // workloads of charts
}

var changes = []change{
	{name: "a key", restarts: []string{"Deployment greeter"}, make: func(t *testing.T, s *stack) {
		s.replace(t, "apps/settings.yaml", "GREETING: hello", "GREETING: good morning")
	}},
	{
		name: "a variable", restarts: []string{"Deployment web"}, charts: []string{"Deployment grafana"},
		make: func(t *testing.T, s *stack) {
			s.replace(t, "platform/variables.yaml", "level: info", "level: debug")
		},
	},
	{name: "an entry of the lock", restarts: []string{"Deployment till"}, make: func(t *testing.T, s *stack) {
		s.replace(t, "rollstamp.lock", "version 1", "version 2")
	}},
	{name: "an encrypted value", restarts: []string{"StatefulSet desk"}, make: func(t *testing.T, s *stack) {
		s.keys.Set(t, s.file("apps/login.yaml"), `["stringData"]["password"]`, "hunter3")
	}},
	{name: "a value of a chart", charts: []string{"Deployment cart"}, make: func(t *testing.T, s *stack) {
		s.replace(t, "apps/cart.yaml", "color: red", "color: blue")
	}},
	{name: "an unrelated line", make: func(t *testing.T, s *stack) {
		s.replace(t, "README.md", "Nothing", "Still nothing")
		s.replace(t, "apps/settings.yaml", "{name: settings,", "{name: settings, labels: {team: shop},")
	}},
	{name: "another version of the chart", make: func(t *testing.T, s *stack) {
		s.replace(t, "charts/service/Chart.yaml", "version: 1.0.0", "version: 1.1.0")
	}},
}

func TestExactlyTheConsumersOfAChangeRollAndOnce(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) { w.rolls(t, start(t)) })
	}
}

func (w way) rolls(t *testing.T, s *stack) {
	s.repo.Commit(t, "all")
	w.publish(t, s)
	w.install(t, s)
	s.reads = append(s.reads, release("cart"), release("grafana"))
	s.API.Until(t, "the releases are there", func() bool {
		return s.Serves(s.Path(t, release("cart"))) && s.Serves(s.Path(t, release("grafana")))
	})
	s.reconcile(t)
	want := map[string]int{
		"Deployment web": 1, "Deployment greeter": 1, "Deployment till": 1, "Deployment idle": 1, "StatefulSet desk": 1,
		"Deployment cart": 1, "Deployment grafana": 1,
	}
	same(t, "at first", s.Rollouts(t, "shop"), want)
	program := plugin(t)
	for _, c := range changes {
		c.make(t, s)
		if w.stamp != nil {
			w.stamp(t, s)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(append(slices.Clone(c.restarts), c.charts...))), s.foretold(t, program)); diff != "" {
			t.Errorf("%s: flux rollstamp diff foretells others than should restart (-want +got):\n%s", c.name, diff)
		}
		w.publish(t, s)
		s.reconcile(t)
		for _, name := range c.restarts {
			want[name]++
		}
		for _, name := range c.charts {
			want[name]++
		}
		same(t, c.name, s.Rollouts(t, "shop"), want)
	}
	w.publish(t, s)
	s.reconcile(t)
	same(t, "a second reconcile of the same", s.Rollouts(t, "shop"), want)
}

func same(t *testing.T, when string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("after %s (-want +got):\n%s", when, cmp.Diff(want, got))
	}
}
