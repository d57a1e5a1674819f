package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The synthetic inputs: apps of three objects each, a ConfigMap, a Secret and a Deployment that reads both in several
// ways, about 1.5 KB an object. All of it follows from the app's number, so that each run measures the same bytes.

const kinds = 3 // objects of an app

// writeApp writes the objects of app i. In a chart, names and the image are templated, as charts do.
func writeApp(w io.Writer, i int, templated bool) {
	name, image := fmt.Sprintf("app-%05d", i), "registry.example.com/team/app:1.4.0"
	if templated {
		name = "{{ .Release.Name }}-" + name
		image = `{{ .Values.image.repository }}:{{ .Values.image.tag }}`
	}
	fmt.Fprintf(w, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  labels:\n    app: %s\ndata:\n", name, name)
	for k := range 16 {
		fmt.Fprintf(w, "  SETTING_%02d: %q\n", k, filler(i, k, 48))
	}
	fmt.Fprintf(w, "  app.properties: |\n")
	for k := range 8 {
		fmt.Fprintf(w, "    server.option.%d=%s\n", k, filler(i, k+16, 32))
	}
	fmt.Fprintf(w, "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  labels:\n    app: %s\ntype: Opaque\ndata:\n", name, name)
	for k := range 16 {
		fmt.Fprintf(w, "  KEY_%02d: %s\n", k, base64.StdEncoding.EncodeToString([]byte(filler(i, k+32, 48))))
	}
	fmt.Fprint(w, "---\n", strings.NewReplacer("NAME", name, "IMAGE", image).Replace(deployment))
}

// filler returns n letters and digits that look like nothing and are always the same.
func filler(i, k, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	x := uint32(i*131+k)*2654435761 + 12345
	b := make([]byte, n)
	for j := range b {
		x = x*1664525 + 1013904223
		b[j] = letters[x>>16%uint32(len(letters))]
	}
	return string(b)
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  labels:
    app: NAME
spec:
  replicas: 2
  revisionHistoryLimit: 3
  selector:
    matchLabels:
      app: NAME
  template:
    metadata:
      labels:
        app: NAME
    spec:
      serviceAccountName: default
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
      containers:
        - name: main
          image: "IMAGE"
          imagePullPolicy: IfNotPresent
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          env:
            - name: FIRST
              valueFrom:
                configMapKeyRef:
                  name: NAME
                  key: SETTING_00
            - name: SECOND
              valueFrom:
                secretKeyRef:
                  name: NAME
                  key: KEY_00
          envFrom:
            - configMapRef:
                name: NAME
          readinessProbe:
            httpGet:
              path: /ready
              port: http
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi
          volumeMounts:
            - name: settings
              mountPath: /etc/app/app.properties
              subPath: app.properties
            - name: keys
              mountPath: /etc/keys
              readOnly: true
      volumes:
        - name: settings
          configMap:
            name: NAME
        - name: keys
          secret:
            secretName: NAME
            items:
              - key: KEY_01
                path: one
`

// writeChart writes a chart of about so many objects, some apps to a template file.
func writeChart(dir string, objects int) error { return writeChartFrom(dir, 0, objects) }

// writeChartFrom writes a chart whose values and apps begin at a number, so that charts can differ.
func writeChartFrom(dir string, first, objects int) error {
	const appsPerFile = 10
	end := first + max(1, objects/kinds)
	files := map[string]func(io.Writer){
		"Chart.yaml":  text("apiVersion: v2\nname: bench\nversion: 1.0.0\n"),
		"values.yaml": text(fmt.Sprintf("image:\n  repository: registry.example.com/team/app\n  tag: 1.4.%d\n", first)),
	}
	for from := first; from < end; from += appsPerFile {
		files[fmt.Sprintf("templates/apps-%05d.yaml", from)] = func(w io.Writer) {
			writeApps(w, from, min(from+appsPerFile, end), true)
		}
	}
	return writeFiles(dir, files)
}

// writeOneObjectChart writes the least chart that there is.
func writeOneObjectChart(dir string) error {
	return writeFiles(dir, map[string]func(io.Writer){
		"Chart.yaml":            text("apiVersion: v2\nname: one\nversion: 1.0.0\n"),
		"templates/config.yaml": text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  key: value\n"),
	})
}

// writeKustomization writes a kustomization over one file of resources.
func writeKustomization(dir string, objects int) error {
	return writeKustomizationFrom(dir, 0, objects)
}

// writeKustomizationFrom writes one whose apps begin at a number.
func writeKustomizationFrom(dir string, first, objects int) error {
	return writeFiles(dir, map[string]func(io.Writer){
		"kustomization.yaml": text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - all.yaml\n"),
		"all.yaml":           func(w io.Writer) { writeApps(w, first, first+max(1, objects/kinds), false) },
	})
}

// writeGrownKustomization writes a kustomization with further fields, and a patch with a target for each of the first
// Deployments, as flux stamp writes them.
func writeGrownKustomization(dir string, objects int, more string, patched int) error {
	if err := writeKustomization(dir, objects); err != nil {
		return err
	}
	return writeFiles(dir, map[string]func(io.Writer){"kustomization.yaml": func(w io.Writer) {
		fmt.Fprintf(w, "resources: [all.yaml]\n%s", more)
		if patched > 0 {
			fmt.Fprintln(w, "patches:")
		}
		for i := range patched {
			fmt.Fprintf(w, `  - target: {group: apps, version: v1, kind: Deployment, name: app-%05[1]d}
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: app-%05[1]d}
      spec: {template: {metadata: {annotations: {example.com/stamp: digest-%[1]d}}}}
`, i)
		}
	}})
}

// writeStream writes manifests as they come out of a renderer.
func writeStream(path string, objects int) error { return writeStreamFrom(path, 0, objects) }

// writeStreamFrom writes manifests whose apps begin at a number.
func writeStreamFrom(path string, first, objects int) error {
	return writeFiles(filepath.Dir(path), map[string]func(io.Writer){
		filepath.Base(path): func(w io.Writer) { writeApps(w, first, first+max(1, objects/kinds), false) },
	})
}

func writeApps(w io.Writer, from, to int, templated bool) {
	for i := from; i < to; i++ {
		fmt.Fprint(w, "---\n")
		writeApp(w, i, templated)
	}
}

func text(s string) func(io.Writer) {
	return func(w io.Writer) { fmt.Fprint(w, s) }
}

// writeFiles writes each file piece by piece, so that the benchmark stays small.
func writeFiles(dir string, files map[string]func(io.Writer)) error {
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(f)
		content(w)
		if err := w.Flush(); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
