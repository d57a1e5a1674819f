package plan_test

import (
	"bytes"
	"fmt"

	"github.com/rollstamp/rollstamp/plan"
)

// A Plan travels as JSON, in which a list is never null, and comes back with what its encoding has.
func ExampleDecode() {
	made := &plan.Plan{Workloads: []plan.Workload{{Kind: "Deployment", Name: "web", References: []plan.Reference{
		{Kind: "Secret", Name: "db", Keys: []string{"user"}, Source: "ExternalSecret/db", Digest: "v1-99e5b3346512f893"},
	}}}}
	var text bytes.Buffer
	if err := made.Encode(&text); err != nil {
		panic(err)
	}
	p, err := plan.Decode(&text)
	if err != nil {
		panic(err)
	}
	for _, w := range p.Workloads {
		for _, r := range w.References {
			fmt.Println(w.Kind, w.Name, "reads", r.Keys, "of", r.Kind, r.Name, "from", r.Source, r.Digest)
		}
	}
	fmt.Println(p.Schema, p.Findings == nil)
	// Output:
	// Deployment web reads [user] of Secret db from ExternalSecret/db v1-99e5b3346512f893
	// 1 false
}
