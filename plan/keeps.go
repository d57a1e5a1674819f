package plan

// Keep is why a stamp that a workload has stays as it is.
type Keep uint8

// The reasons. The zero value is none: it goes, or gets a new value.
const (
	NotKept   Keep = iota
	AsLeft         // the workload gets no stamps, and keeps those that it has
	AsUnknown      // what it is of is not known
)

// Keeps returns why a workload, by its index, keeps a stamp where it has one with that key.
func (p *Plan) Keeps(workload int, key string) Keep {
	for i, place := range p.Places {
		switch {
		case place.Workload != workload:
		case place.Left:
			return AsLeft
		case place.Way != 0 && p.keepsUnknown(i, key):
			return AsUnknown
		}
	}
	return NotKept
}

// keepsUnknown reports whether no digest is known for a key at a place. One for all that is consumed is known where one
// of these is.
func (p *Plan) keepsUnknown(place int, key string) (unknown bool) {
	isTogether := p.Places[place].Way.Has(Together)
	for _, w := range p.Stamps {
		switch {
		case w.Place != place || w.Reason == Foreign:
		case isTogether && key == p.Prefix.Combined():
			if w.Value != "" {
				return false
			}
			unknown = unknown || w.Reason == Unknown
		case !isTogether && w.Key == key:
			return w.Reason == Unknown && w.Value == ""
		}
	}
	return unknown
}
