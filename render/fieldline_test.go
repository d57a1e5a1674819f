package render_test

import (
	"os"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func TestTheLineOfAFieldIsThatOfItsEntryOrOfTheNearestAroundIt(t *testing.T) {
	const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}

---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app.example.org/part: "a"
spec:
  template:
    spec:
      containers:
      - image: a
        name: first
      - name: second
        ports:
        - containerPort: 1
        - name: http
          containerPort: 70000
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: a}
  spec:
    type: x
- apiVersion: v1
  kind: Service
  metadata: {name: b}
  spec:
    type: x
`
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.yaml": text, "t.yaml": "{{ if .Values.a }}\nkind: Deployment\n{{ end }}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := render.NewLines(nil)
	for _, one := range []struct {
		file             string
		line             int
		kind, name, path string
		want             int
	}{
		{"a.yaml", 4, "Deployment", "prod-web", "spec.template.spec.containers[second].ports[1].containerPort", 20},
		{"a.yaml", 5, "Deployment", "web", "spec.template.spec.containers[first].ports[0]", 14},
		{"a.yaml", 5, "Deployment", "web", `metadata.labels["app.example.org/part"]`, 9},
		{"a.yaml", 5, "Deployment", "web", "spec.template.spec.containers[0].image", 14},
		{"a.yaml", 5, "Deployment", "web", "spec.template.spec.volumes[a].name", 12},
		{"a.yaml", 5, "Deployment", "web", "status", 5},
		{"a.yaml", 5, "Deployment", "web", "spec.template.spec.containers[", 13},
		{"a.yaml", 5, "Deployment", "web", "", 5},
		{"a.yaml", 30, "Service", "b", "spec.type", 34},
		{"a.yaml", 99, "Service", "b", "spec.type", 99},
		{"t.yaml", 2, "Deployment", "web", "spec", 2},
		{"none.yaml", 2, "Deployment", "web", "spec", 2},
	} {
		at := lines.Field(diag.Position{File: one.file, Line: one.line}, one.kind, one.name, one.path)
		if at.Line != one.want || at.File != one.file {
			t.Errorf("%+v: %v", one, at)
		}
	}
}
