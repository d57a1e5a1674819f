package plan

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
