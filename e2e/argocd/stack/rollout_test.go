package stack

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// retail is a chart whose workloads read one ConfigMap: two of them one key each, one all of it, one none of it.
const retail = `
-- Chart.yaml --
apiVersion: v2
name: retail
version: 1.0.0
-- values.yaml --
level: info
greeting: hello
-- README.md --
Nothing that is rendered.
-- templates/settings.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {helm.sh/chart: "{{ .Chart.Name }}-{{ .Chart.Version }}"}
data:
  LOG_LEVEL: {{ .Values.level | quote }}
  GREETING: {{ .Values.greeting | quote }}
-- templates/web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {helm.sh/chart: "{{ .Chart.Name }}-{{ .Chart.Version }}"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1
          env: [{name: LOG_LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: LOG_LEVEL}}}]
-- templates/greeter.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: greeter}
spec:
  selector: {matchLabels: {app: greeter}}
  template:
    metadata: {labels: {app: greeter}}
    spec:
      containers:
        - name: greeter
          image: registry.example.com/greeter:1
          env: [{name: GREETING, valueFrom: {configMapKeyRef: {name: settings, key: GREETING}}}]
-- templates/store.yaml --
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
        - name: store
          image: registry.example.com/store:1
          volumeMounts: [{name: settings, mountPath: /etc/settings}]
      volumes: [{name: settings, configMap: {name: settings}}]
-- templates/idle.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: idle}
spec:
  selector: {matchLabels: {app: idle}}
  template:
    metadata: {labels: {app: idle}}
    spec:
      containers: [{name: idle, image: registry.example.com/idle:1}]
`

const ours = `"plugin": {"name": "rollstamp"}`

func TestExactlyTheConsumersOfAChangedKeyRollAndOnce(t *testing.T) {
	for name, plugin := range plugins {
		t.Run(name, func(t *testing.T) { rolls(t, start(t, plugin)) })
	}
}

func rolls(t *testing.T, s *stack) {
	repo := folder.Repository{Dir: folder.New(t, retail)}
	change := func(file, text string) string {
		folder.WriteFile(t, filepath.Join(repo.Dir, file), text)
		return repo.Commit(t, "change "+file)
	}
	first := repo.Commit(t, "all")
	app, native := s.create(t, "retail", repo, ours), s.create(t, "native", repo, `"helm": {}`)
	app.settled(t, first)
	native.settled(t, first)
	once := map[string]int{"Deployment web": 1, "Deployment greeter": 1, "Deployment idle": 1, "StatefulSet store": 1}
	same(t, "at first", app.rollouts(t), once)

	level := change("values.yaml", "level: debug\ngreeting: hello\n")
	app.refresh(t, "normal", level)
	rolled := map[string]int{"Deployment web": 2, "Deployment greeter": 1, "Deployment idle": 1, "StatefulSet store": 2}
	same(t, "after a key has changed", app.rollouts(t), rolled)
	native.refresh(t, "normal", level)
	same(t, "without us, after a key has changed", native.rollouts(t), once)

	before := app.generations(t)
	syncs := len(app.status(t).History)
	for range 3 {
		app.refresh(t, "hard", level)
	}
	same(t, "writes, after three hard refreshes", app.generations(t), before)
	if after := len(app.status(t).History); after != syncs {
		t.Errorf("%d syncs of one revision, want %d", after, syncs)
	}

	app.refresh(t, "normal", change("README.md", "Still nothing.\n"))
	same(t, "after an unrelated commit", app.rollouts(t), rolled)
	app.refresh(t, "normal", change("Chart.yaml", "apiVersion: v2\nname: retail\nversion: 1.1.0\n"))
	same(t, "after another version of the chart", app.rollouts(t), rolled)

	app.refresh(t, "normal", change("values.yaml", "level: info\ngreeting: hello\n"))
	same(t, "back at the first value: its pod template is known already", app.rollouts(t), rolled)
	app.refresh(t, "normal", change("values.yaml", "level: info\ngreeting: good morning\n"))
	rolled["Deployment greeter"]++
	rolled["StatefulSet store"]++
	same(t, "after the other key has changed", app.rollouts(t), rolled)
}

func same(t *testing.T, when string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", when, got, want)
	}
}
