package pipeline //nolint:testpackage // how a result is stored is nobody else's

import (
	"bytes"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/render"
)

const storedText = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {key: one}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: absent}}]}
`

// FuzzWhatIsStoredOfAResultIsReadOrRefused changes the bytes of an entry as nobody can who does not make its digest.
func FuzzWhatIsStoredOfAResultIsReadOrRefused(f *testing.F) {
	a := app.New(app.Spec{Name: "web", Stream: &render.Output{Kind: render.KindPlain, Text: []byte(storedText)}}).
		WithStamping(app.Stamping{})
	result, err := Run(f.Context(), a)
	if err != nil {
		f.Fatal(err)
	}
	stored, err := encodeResult(result)
	if err != nil {
		f.Fatal(err)
	}
	read, err := decodeResult(stored)
	if err != nil || !bytes.Equal(read.Text.Bytes(), result.Text.Bytes()) ||
		len(read.Findings()) != len(result.Findings()) {
		f.Fatalf("it is read as %v, %v", read, err)
	}
	f.Add(0, byte(1))
	f.Add(len(stored)-1, byte(0x80))
	f.Fuzz(func(_ *testing.T, at int, change byte) {
		damaged := bytes.Clone(stored)
		damaged[uint(at)%uint(len(damaged))] ^= change
		_, _ = decodeResult(damaged)                               // no panic
		_, _ = decodeResult(damaged[:uint(at)%uint(len(damaged))]) // nor where the end is missing
	})
}
