// What people decide about restarts, on a real Kubernetes control plane and beside the real Kyverno.
module github.com/rollstamp/rollstamp/e2e/policies

go 1.26.0

// What starts processes and a control plane.
replace github.com/rollstamp/rollstamp/e2e/cluster => ../cluster

require (
	github.com/google/go-cmp v0.7.0
	github.com/rollstamp/rollstamp/e2e/cluster v0.0.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/tools v0.39.0 // indirect
)
