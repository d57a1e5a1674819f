package stamp_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/stamp"
)

const shop = `apiVersion: v1
kind: ConfigMap
metadata:
  name: shop
data:
  LOG_LEVEL: info
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        envFrom:
        - configMapRef:
            name: shop
`

// The text comes back with a digest of what the Deployment reads, and nothing else in it has changed.
func ExampleBytes() {
	stamped, plan, err := stamp.Bytes(context.Background(), []byte(shop), stamp.Options{})
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(stamped)) {
		if !strings.Contains(shop, line) {
			fmt.Print(line)
		}
	}
	for _, w := range plan.Workloads {
		for _, r := range w.References {
			fmt.Println(w.Kind, w.Name, "reads", r.Kind, r.Name, r.Digest)
		}
	}
	// Output:
	//       annotations:
	//         checksum.rollstamp.dev/configmap.shop: v1-99e5b3346512f893
	// Deployment web reads ConfigMap shop v1-99e5b3346512f893
}

func ExampleUnstamp() {
	stamped, _, err := stamp.Bytes(context.Background(), []byte(shop), stamp.Options{})
	if err != nil {
		panic(err)
	}
	text, err := stamp.Unstamp(context.Background(), stamped, stamp.Options{})
	fmt.Println(string(text) == shop, err)
	// Output:
	// true <nil>
}
