package objects

import "hash/maphash"

// fingerprints is the seed of all fingerprints of this process.
var fingerprints = maphash.MakeSeed()

// Fingerprint returns a number for the bytes under the key, which compares with others of this process only.
func (p *Pair) Fingerprint() uint64 { return maphash.Bytes(fingerprints, p.Value.Reveal()) }
