package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/sources/lock"
)

// addReloaded adds a workload that Reloader restarts to each application.
func (e *estate) addReloaded() error {
	const reloaded = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: reloaded, annotations: {reloader.stakater.com/auto: "true"}}
spec:
  selector: {matchLabels: {app: reloaded}}
  template:
    metadata: {labels: {app: reloaded}}
    spec: {containers: [{name: main, image: x, envFrom: [{configMapRef: {name: common}}]}]}
`
	for i, app := range e.apps {
		name := "templates/reloaded.yaml"
		if i%2 == 1 {
			name = "all.yaml"
		}
		f, err := os.OpenFile(filepath.Join(e.dir, app, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(reloaded)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// reloadAll has Reloader restart every Deployment of the applications, of which nothing is adopted.
func (e *estate) reloadAll() error {
	const kind, restarted = "kind: Deployment\nmetadata:\n", "  annotations: {reloader.stakater.com/auto: \"true\"}\n"
	if err := os.Remove(filepath.Join(e.dir, lock.FileName)); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(e.dir, "apps"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), kind) {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), kind, kind+restarted)), 0o600)
	})
}
