package plan

// Way is how digests get into a pod template. The zero value is none.
type Way uint8

// The parts of a way: one of the first two, and what goes with it.
const (
	ByAnnotation  Way = 1 << iota
	ByVariable        // of the containers that use an object
	Together          // one digest stands for all that the template consumes
	AllContainers     // have the variables
)

// String returns the word by which lines of the lock name a way; "" of none.
func (w Way) String() string {
	switch w {
	case ByAnnotation:
		return "annotation"
	case ByAnnotation | Together:
		return "combined"
	case ByVariable:
		return "env"
	case ByVariable | Together:
		return "env-combined"
	case ByVariable | AllContainers:
		return "env-all"
	case ByVariable | Together | AllContainers:
		return "env-all-combined"
	}
	return ""
}

// WayOf returns the way of a word.
func WayOf(word string) (w Way, ok bool) {
	for w := ByAnnotation; w <= ByVariable|Together|AllContainers; w++ {
		if word != "" && w.String() == word {
			return w, true
		}
	}
	return 0, false
}

// Has reports whether a part belongs to a way.
func (w Way) Has(part Way) bool { return w&part != 0 }
