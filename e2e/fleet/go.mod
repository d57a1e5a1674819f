// One run divided over the pods of a Job, by the real Job controller.
module github.com/rollstamp/rollstamp/e2e/fleet

go 1.26.0

// What starts processes and a control plane.
replace github.com/rollstamp/rollstamp/e2e/cluster => ../cluster

require (
	github.com/google/go-cmp v0.7.0
	github.com/rollstamp/rollstamp/e2e/cluster v0.0.0
)

require (
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/tools v0.39.0 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)
