//go:build levelproof

package refs

import "sync"

// A kind and a position of level 2, by which levels are proven.
var _ = func() bool {
	kind := builtin(Kind{Kind: "ProofWorkload", Template: template, Rollout: ByStrategy}, "proof.example.com")
	kind.Level = 2
	before := builtinKinds
	builtinKinds = sync.OnceValue(func() []Kind { return append(before(), kind) })
	podPositions = append(podPositions, position{"volumes[].proof", ConfigMap, "name", "proof", all, 2})
	return true
}()
