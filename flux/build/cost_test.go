package build_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  labels: {app: web, cluster: "${CLUSTER}"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        ports: [{containerPort: 8080, name: http}]
        env:
        - {name: HOST, value: "web.${DOMAIN}"}
        - {name: DB, valueFrom: {secretKeyRef: {name: db, key: password}}}
        resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
        volumeMounts: [{name: config, mountPath: /etc/web}]
      volumes:
      - {name: config, configMap: {name: web}}
`

// BenchmarkSubstitution is what substituting variables in each object adds to a build.
func BenchmarkSubstitution(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "---\n"+deployment, i)
	}
	root := tree(b, map[string]string{"a.yaml": text.String()})
	request, err := build.Request(kustomization(b, "path: ."), build.Tree{Root: root}, render.Request{})
	if err != nil {
		b.Fatal(err)
	}
	transform := substitute.Variables(map[string]substitute.Var{"CLUSTER": {Value: "a"}, "DOMAIN": {Value: "example.com", Secrecy: redact.HoldsSecret}},
		substitute.Options{Strict: true})
	labels := substitute.CommonMetadata(map[string]string{"a": "b", "c": "d"}, nil)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if _, err := (kustomize.Engine{}).Render(b.Context(), request); err != nil {
				b.Fatal(err)
			}
		}
	})
	out, err := kustomize.Engine{}.Render(b.Context(), request)
	if err != nil {
		b.Fatal(err)
	}
	for name, t := range map[string]render.Transform{"substitution": transform, "metadata": labels} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := t(b.Context(), out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
