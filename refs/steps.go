package refs

import (
	"slices"
	"strings"
)

// step is a node of the table's positions, joined by their common beginnings: the finder goes through a pod spec once.
type step struct {
	field    string
	list     bool // the field holds a list, whose items are meant
	volume   bool
	mounts   bool
	position *position
	below    []*step
}

func (s *step) add(path string, p position) {
	at := s
	for field := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(field, "[]")
		i := slices.IndexFunc(at.below, func(b *step) bool { return b.field == name })
		if i < 0 {
			at.below = append(at.below, &step{field: name, list: list})
			i = len(at.below) - 1
		}
		at = at.below[i]
	}
	at.position = &p
}

// podSteps joins the rows of the table up to a level of coverage.
func podSteps(level int) *step {
	root := &step{}
	for _, list := range containerLists {
		for _, p := range containerPositions {
			if p.level <= level {
				root.add(list+"[]."+p.path, p)
			}
		}
		root.add(list+"[].volumeMounts[]", position{})
	}
	for _, p := range podPositions {
		if p.level <= level {
			root.add(p.path, p)
		}
	}
	for _, s := range root.below {
		s.volume = s.field == "volumes"
		for _, b := range s.below {
			if b.field == "volumeMounts" {
				b.mounts, b.position = true, nil
			}
		}
	}
	return root
}
