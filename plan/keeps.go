package plan

import (
	"slices"

	"github.com/rollstamp/rollstamp/hashing"
)

// Keep is why a stamp that a workload has stays as it is.
type Keep uint8

// The reasons. The zero value is none: it goes, or gets a new value.
const (
	NotKept         Keep = iota
	AsLeft               // the workload gets no stamps, and keeps those that it has
	AsUnknown            // what it is of is not known
	AsPartlyUnknown      // it is of several objects, of which only some are known: it stays where the others may be
)

// Keeps returns why a workload, by its index, keeps a stamp where it has one with that key.
func (p *Plan) Keeps(workload int, key string) Keep {
	for i, place := range p.Places {
		switch {
		case place.Workload != workload:
		case place.Left:
			return AsLeft
		case place.Way == 0:
		case place.Way.Has(Together):
			if why := p.keepsTogether(i, key); why != NotKept {
				return why
			}
		case p.isUnknown(i, key):
			return AsUnknown
		}
	}
	return NotKept
}

// isUnknown reports whether no digest is known for a key at a place.
func (p *Plan) isUnknown(place int, key string) bool {
	for _, w := range p.Stamps {
		if w.Place == place && w.Reason != Foreign && w.Key == key {
			return w.Reason == Unknown && w.Value == ""
		}
	}
	return false
}

// keepsTogether returns why a place keeps its one stamp for all that is consumed.
func (p *Plan) keepsTogether(place int, key string) Keep {
	if key != p.Prefix.Combined() {
		return NotKept
	}
	unknown, known := false, false
	for _, w := range p.Stamps {
		if w.Place == place && w.Reason != Foreign {
			known = known || w.Value != ""
			unknown = unknown || w.Reason == Unknown
		}
	}
	switch {
	case !unknown:
		return NotKept
	case known:
		return AsPartlyUnknown
	}
	return AsUnknown
}

// Unchecked is why nobody can say of a keyed stamp that is there whether it is current.
type Unchecked uint8

// The reasons. The zero value is none: that can be said.
const (
	Checked Unchecked = iota
	LacksKey
	MayBeOfValue
	MayBeOfSeal
)

// unchecked are what messages say of the reasons, and what to do where the finding's own hint does not say it.
var unchecked = [...]struct{ because, hint string }{
	LacksKey: {because: "because its digest is keyed, and this run has no hash key to check it with"},
	MayBeOfValue: {"because it may be of what SOPS encrypted, which this run does not decrypt",
		"Pass --open-sops, with the keys of SOPS and the hash key, as the run had them that wrote the stamp. " +
			"Where the ciphertext is what counts, pass --open-sops=false: the stamp becomes that of the ciphertext."},
	MayBeOfSeal: {"because it may be of the values of a SealedSecret, which this run does not decrypt",
		"Pass --sealing-key-file and the hash key, as the run had them that wrote the stamp. Where the " +
			"ciphertext is to count, write secrets: {sealed: ciphertext} into .rollstamp.yaml, and no run decrypts it."},
}

// Because returns the reason as messages go on after "stays as it is, ".
func (u Unchecked) Because() string { return unchecked[u].because }

// Hint returns what to do about a stamp that is not compared; "" where the finding's own hint says it.
func (u Unchecked) Hint() string { return unchecked[u].hint }

// Comparing is what a run has to compare keyed stamps with.
type Comparing struct {
	HasKey           bool
	CountsCiphertext bool // somebody says that what SOPS encrypted is not decrypted
	CountsSealed     bool // nobody says that the values of SealedSecrets count in every run
}

// Uncompared returns why nobody can say whether a stamp that a workload has is of what the one is of that it is to have
// instead, by their values; Checked where that can be said, or one of them is none. The key is that of both.
func (c Comparing) Uncompared(w *Workload, isKey func(*Reference) bool, had, now string) Unchecked {
	isOf := func(is func(*Reference) bool) bool {
		return w != nil && slices.ContainsFunc(w.References, func(r Reference) bool { return is(&r) && isKey(&r) })
	}
	switch {
	case now == "" || had == now || !hashing.IsKeyed(had):
	case !c.HasKey && !hashing.IsKeyed(now):
		return LacksKey
	case !c.CountsCiphertext && isOf(func(r *Reference) bool { return r.Ciphertext && !r.Sealed }):
		return MayBeOfValue
	case !c.CountsSealed && isOf(func(r *Reference) bool { return r.Sealed }):
		return MayBeOfSeal
	}
	return Checked
}
