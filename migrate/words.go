package migrate

import (
	"slices"
	"strings"
)

// signs are where a text may have something of tools; nearly none has.
type signs struct {
	uses         []int // offsets of what the tools use, or of values that were not rendered, sorted
	ofController bool
}

// signWords looks for signs.
type signWords struct {
	*words
	uses int // how many words are signs of use; those that follow are signs of controllers
	// The last words are of a chart and of what installs one, of which both have to be there.
}

func newSigns(tools []tool) *signWords {
	uses, controllers := []string{"valuesFrom", "valueFiles"}, []string{}
	for _, t := range tools {
		for _, key := range t.keys {
			// paths of parameters have dots with a backslash, which some quotes double
			uses = append(uses, key, strings.ReplaceAll(key, ".", `\.`), strings.ReplaceAll(key, ".", `\\.`))
		}
		uses, controllers = append(uses, t.markers...), append(controllers, t.images...)
	}
	return &signWords{newWords(slices.Concat(uses, controllers, []string{reloaderChart, "HelmRelease", "Application"})),
		len(uses)}
}

// in returns the signs in a text.
func (s *signWords) in(text []byte) (found signs) {
	has := make([]bool, s.count-s.uses) // of controllers
	s.words.each(text, func(word, end int) {
		if word >= s.uses {
			has[word-s.uses] = true
		} else {
			found.uses = append(found.uses, end-1)
		}
	})
	n := len(has) - 3
	found.ofController = slices.Contains(has[:n], true) || has[n] && (has[n+1] || has[n+2])
	return found
}

// ends marks states in which words end.
const ends = 1 << 15

// words finds which of many words a text has, in one pass over it (Aho and Corasick's automaton).
type words struct {
	class [256]uint8 // of bytes; 0 for those in no word
	width int        // how many classes there are
	next  []uint16   // by state and class; with ends, where words end there
	found [][]uint16 // by state: the indexes of the words that end there
	count int
}

// newWords returns the search for words of fewer than 32,768 bytes together, none of which is empty.
func newWords(all []string) *words {
	w := &words{width: 1, count: len(all)}
	for _, word := range all {
		for _, b := range []byte(word) {
			if w.class[b] == 0 {
				w.class[b] = uint8(w.width)
				w.width++
			}
		}
	}
	w.addState()
	for i, word := range all {
		at := uint16(0)
		for _, b := range []byte(word) {
			next := w.from(at)[w.class[b]]
			if next == 0 {
				next = w.addState()
				w.from(at)[w.class[b]] = next
			}
			at = next
		}
		w.found[at] = append(w.found[at], uint16(i))
	}
	w.link()
	return w
}

// addState adds a state that nothing leads on from.
func (w *words) addState() (at uint16) {
	w.next, w.found = append(w.next, make([]uint16, w.width)...), append(w.found, nil)
	return uint16(len(w.found) - 1)
}

// from returns the states that follow a state, by class.
func (w *words) from(at uint16) []uint16 { return w.next[int(at)*w.width:][:w.width] }

// link has each state that a byte does not lead on from go on where the longest end of what was read is a beginning.
func (w *words) link() {
	fallback, queue := make([]uint16, len(w.found)), []uint16{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c, next := range w.from(at) {
			shorter := w.from(fallback[at])[c]
			switch {
			case next == 0:
				w.from(at)[c] = shorter
			case at != 0:
				fallback[next] = shorter
				w.found[next] = slices.Concat(w.found[next], w.found[shorter])
				fallthrough
			default:
				queue = append(queue, next)
			}
		}
	}
	for i, next := range w.next {
		if len(w.found[next]) > 0 {
			w.next[i] |= ends
		}
	}
}

// each visits the words that a text has, by their indexes, and where each ends, in the order of the text.
func (w *words) each(text []byte, visit func(word, end int)) {
	at := 0
	for i, b := range text {
		next := w.next[at*w.width+int(w.class[b])]
		at = int(next &^ ends)
		if next&ends != 0 {
			for _, word := range w.found[at] {
				visit(int(word), i+1)
			}
		}
	}
}
