package refs_test

import (
	"fmt"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

func ExampleTable_Find() {
	d, err := manifest.NewReader([]byte(`apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    envFrom: [{configMapRef: {name: settings}}]
    env: [{name: USER, valueFrom: {secretKeyRef: {name: db, key: user}}}]
`)).Next()
	if err != nil {
		panic(err)
	}
	table := refs.NewTable(1, nil)
	for o := range d.Objects() {
		for _, row := range table.Rows(o) {
			for _, t := range table.Find(o, row) {
				for _, r := range t.References {
					fmt.Println(r.Kind, r.Name, r.Form, r.All, r.Keys)
				}
			}
		}
	}
	// Output:
	// ConfigMap settings envFrom true []
	// Secret db env false [user]
}
