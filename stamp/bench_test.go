package stamp_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/stamp"
)

// stream returns manifests of many applications: a ConfigMap, a Secret or an ExternalSecret for one, and a Deployment.
func stream(apps int) []byte {
	var b bytes.Buffer
	for i := range apps {
		fmt.Fprintf(&b, `apiVersion: v1
kind: ConfigMap
metadata: {name: settings-%[1]d}
data: {LEVEL: info, PORT: "80", URL: http://localhost}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: db-%[1]d
spec:
  refreshInterval: 1h
  secretStoreRef: {name: vault, kind: SecretStore}
  data:
  - secretKey: user
    remoteRef: {key: kv/data/app-%[1]d, property: user}
  - secretKey: password
    remoteRef: {key: kv/data/app-%[1]d, property: password}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]d
  labels: {app: web}
spec:
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: web
        env:
        - name: LEVEL
          valueFrom: {configMapKeyRef: {name: settings-%[1]d, key: LEVEL}}
        - name: USER
          valueFrom: {secretKeyRef: {name: db-%[1]d, key: user}}
        - name: PORT
          valueFrom: {configMapKeyRef: {name: settings-%[1]d, key: PORT}}
        - name: PASSWORD
          valueFrom: {secretKeyRef: {name: db-%[1]d, key: password}}
---
`, i)
	}
	return b.Bytes()
}

func BenchmarkMake(b *testing.B) {
	text := stream(1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stamp.Make(context.Background(), &render.Output{Text: text}, stamp.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBytesByStrategy(b *testing.B) {
	text := stream(1000)
	for _, way := range []config.Strategy{config.StrategyAnnotation, config.StrategyEnv} {
		b.Run(string(way), func(b *testing.B) {
			inForce := &config.InForce{Strategy: config.Setting[config.Strategy]{Value: way}}
			opts := stamp.Options{Settings: &config.Settings{InForce: inForce}}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := stamp.Bytes(b.Context(), text, opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// locked answers every question with one version.
type locked struct{}

func (locked) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers := make([]sources.Answer, len(refs))
	for i := range answers {
		answers[i].Version = "7"
	}
	return answers, nil, nil
}

func BenchmarkMakeWithVersions(b *testing.B) {
	text := stream(1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := stamp.Make(context.Background(), &render.Output{Text: text}, stamp.Options{Resolver: locked{}})
		if err != nil {
			b.Fatal(err)
		}
	}
}
