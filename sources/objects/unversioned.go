package objects

import "slices"

// Unversioned is something behind an object that counts by what its manifest says under each policy, because nobody can
// be asked for its version.
type Unversioned struct {
	Producer *Producer // nil where the object itself holds placeholders
	Why      Versionless
}

// Versionless says why something has no version that could be asked for.
type Versionless string

// The reasons.
const (
	// Made is what makes the value itself, again for each that reads it or when it likes: a lease, a certificate, a
	// password.
	Made Versionless = "made"
	// Fetched is what comes from a store in a way that rollstamp cannot follow: there may be a version, and nobody asks
	// for it.
	Fetched Versionless = "fetched"
	// Unasked is what comes from a store that could be asked, if the user wanted that.
	Unasked Versionless = "unasked"
	// Metadata is what lies beside a value in a store, tags and the like, which change without a new version.
	Metadata Versionless = "metadata"
)

// unversioned remembers that something which the producer returns has no version, once.
func (k *making) unversioned(why Versionless) { k.out.unversioned(Unversioned{k.producer, why}) }

func (c *Content) unversioned(u Unversioned) {
	if !slices.Contains(c.Unversioned, u) {
		c.Unversioned = append(c.Unversioned, u)
	}
}
