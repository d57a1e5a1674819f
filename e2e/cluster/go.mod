// What several modules of real parts need of a machine: processes, folders, and a Kubernetes control plane.
module github.com/rollstamp/rollstamp/e2e/cluster

go 1.26.0

require (
	golang.org/x/tools v0.39.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
