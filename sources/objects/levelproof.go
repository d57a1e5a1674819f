//go:build levelproof

package objects

// A producer of level 2, by which levels are proven.
var _ = func() bool {
	table().rows["ProofSecret"] = []row{{group: "proof.example.com", kind: secret, level: 2}}
	return true
}()
